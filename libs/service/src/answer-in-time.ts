/** What a promise gives; `otherwise` when it fails, or has given nothing after so many milliseconds. */
export function answerInTime<T, Otherwise>(
  promise: Promise<T>,
  limitMs: number,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), limitMs);
    promise.then(resolve, () => resolve(otherwise)).finally(() => clearTimeout(timer));
  });
}
