/** The result of a promise, or `otherwise` when it rejects or has not settled after `limitMs` milliseconds. */
export function resultWithin<T, Otherwise>(
  promise: Promise<T>,
  limitMs: number,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), limitMs);
    promise.then(resolve, () => resolve(otherwise)).finally(() => clearTimeout(timer));
  });
}
