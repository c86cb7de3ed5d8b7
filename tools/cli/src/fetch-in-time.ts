/**
 * Sends a request and reads its response with `read`; aborts after `limitMs`, and when `signal` does. Node.js may lose the limit
 * when both are joined by `AbortSignal.any` (nodejs/node#57736).
 */
export async function fetchInTime<T>(
  url: string,
  request: RequestInit,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = (): void => limit.abort();
  const timer = setTimeout(abort, limitMs);
  signal.addEventListener('abort', abort);
  try {
    return await read(await fetch(url, { ...request, signal: limit.signal }));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
