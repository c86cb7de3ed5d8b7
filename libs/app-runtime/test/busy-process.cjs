const { createLogger, operationsRoutes, Registry, startOperations } = require('../dist');

/**
 * A process with an operations listener. It sends the URL of the listener to its parent, blocks its main thread for the
 * milliseconds in each message of the parent, and stops in order on SIGTERM. The argument is `silentAfterMs`.
 */
const [silentAfterMs] = process.argv.slice(2).map(Number);
const closers = [];
const log = createLogger('busy', 'info', {
  write(line) {
    const { url } = JSON.parse(line);
    if (url) process.send({ url });
  },
});
const registry = new Registry();
let asked = 0;
const readHealth = async () => ({ status: 'ok', asked: ++asked });

process.on('message', (milliseconds) => {
  process.send({ busy: true });
  // The message must be sent before the thread is blocked.
  setTimeout(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  }, 50);
});
process.on('SIGTERM', async () => {
  for (const close of closers.reverse()) await close();
  process.disconnect();
});

void startOperations(
  { log, onStop: (close) => closers.push(close), fail: (error) => process.send({ failed: String(error) }) },
  {
    name: 'busy',
    address: { host: '127.0.0.1', port: 0 },
    routes: operationsRoutes(readHealth, registry),
    silentAfterMs,
  },
);
