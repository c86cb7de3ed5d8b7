const { openLmdbStore } = require('../dist');

/**
 * A process or thread that has a store open and does what it is told: `{ id, method, args }` comes, `{ id, result }` or
 * `{ id, error }` goes. `method` is `open` or one of the store's.
 */
const { parentPort } = require('node:worker_threads');

let store;

async function call(method, args) {
  if (method !== 'open') return store[method](...args);
  store = await openLmdbStore(...args);
}

async function answer({ id, method, args }) {
  try {
    send({ id, result: await call(method, args) });
  } catch (error) {
    send({ id, error: { code: error.code, message: error.message, retryable: error.retryable } });
  }
}

const send = parentPort ? (message) => parentPort.postMessage(message) : (message) => process.send(message);
(parentPort ?? process).on('message', answer);
