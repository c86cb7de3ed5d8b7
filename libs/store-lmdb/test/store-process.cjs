const { openLmdbStoreReader } = require('../dist/reader');
const { openLmdbStoreWriter } = require('../dist/writer');

/**
 * A process or thread that opens a store and runs methods of it: it receives `{ id, method, args }` and sends `{ id, result }`
 * or `{ id, error }`. `method` is `openReader`, `openWriter` (which opens both sides) or one of an open side's.
 */
const { parentPort } = require('node:worker_threads');

let reader;
let writer;

async function call(method, args) {
  if (method === 'openWriter') writer = await openLmdbStoreWriter(...args);
  if (method === 'openWriter' || method === 'openReader') {
    reader = await openLmdbStoreReader(...args);
    return undefined;
  }
  const side = method in reader ? reader : writer;
  return side[method](...args);
}

async function respond({ id, method, args }) {
  try {
    send({ id, result: await call(method, args) });
  } catch (error) {
    send({ id, error: { code: error.code, message: error.message, retryable: error.retryable } });
  }
}

const send = parentPort ? (message) => parentPort.postMessage(message) : (message) => process.send(message);
(parentPort ?? process).on('message', respond);
