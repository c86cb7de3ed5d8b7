import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the program of a child (`node --require`): the child stops when the channel to its parent closes, so
 * nothing is orphaned even when the parent is killed outright.
 */
const STOP_LIMIT_MS = 10_000;

if (isMainThread) {
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_LIMIT_MS).unref();
  });
  // Listening must not keep a program alive that has nothing else to do.
  process.channel?.unref();
}
