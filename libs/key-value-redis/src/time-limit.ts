/** Thrown when something took longer than it may. */
export class TimeLimitError extends Error {
  /** As the system calls it. */
  readonly code = 'ETIMEDOUT';

  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`);
  }
}

/**
 * The promise's own outcome, or a `TimeLimitError`. What arrived on a socket while this process was busy counts as in
 * time: timers run before sockets are read, so the judgement waits until they were.
 */
export function withinLimit<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new TimeLimitError(limitMs))), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
