import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the program of a child (`node --require`). The child stops when the IPC channel to its parent closes, so
 * that no child outlives a parent that was killed.
 */
const STOP_LIMIT_MS = 10_000;

if (isMainThread) {
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_LIMIT_MS).unref();
  });
  // The channel must not keep a program alive that has nothing else to do.
  process.channel?.unref();
}
