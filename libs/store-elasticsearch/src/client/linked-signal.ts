/**
 * Runs `use` with a controller that aborts as soon as one of `signals` does, with the same reason. Nothing is added to the signals for
 * longer than `use` runs, as `AbortSignal.any` would: some of them outlive thousands of requests.
 */
export async function withLinkedSignal<T>(
  signals: readonly AbortSignal[],
  use: (ending: AbortController) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const ends = signals.map((signal) => ({ signal, end: () => ending.abort(signal.reason) }));
  for (const { signal, end } of ends) {
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  }
  try {
    return await use(ending);
  } finally {
    for (const { signal, end } of ends) signal.removeEventListener('abort', end);
  }
}
