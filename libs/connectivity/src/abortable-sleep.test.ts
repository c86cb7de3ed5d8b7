import { abortableSleep } from './abortable-sleep';

describe('abortableSleep', () => {
  const HOUR_MS = 3_600_000;

  it('resolves after the given time', async () => {
    const start = performance.now();
    await abortableSleep(30, new AbortController().signal);
    // A timer may fire up to a millisecond early.
    expect(performance.now() - start).toBeGreaterThanOrEqual(29);
  });

  it('resolves when the signal is aborted, before or during the sleep', async () => {
    const aborted = AbortSignal.abort();
    await abortableSleep(HOUR_MS, aborted);
    const controller = new AbortController();
    const sleeping = abortableSleep(HOUR_MS, controller.signal);
    controller.abort();
    await sleeping;
  });
});
