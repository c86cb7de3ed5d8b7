/** Thrown when an operation exceeds its time limit. */
export class TimeLimitError extends Error {
  /** The operating system's code for a timeout. */
  readonly code = 'ETIMEDOUT';

  constructor(limitMs: number) {
    super(`no response within ${limitMs} ms`);
  }
}

/**
 * Settles like `promise`, or rejects with a `TimeLimitError`. Data that arrived on a socket while this process was busy
 * counts as in time: timers run before sockets are read, so the rejection waits until the sockets were read.
 */
export function withinLimit<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new TimeLimitError(limitMs))), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
