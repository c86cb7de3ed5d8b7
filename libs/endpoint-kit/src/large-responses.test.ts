import { setTimeout as sleep } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import { LargeResponses } from './large-responses';

/** A signal that never aborts. */
const staying = (): AbortSignal => new AbortController().signal;

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = (): void => void (settled = true);
  promise.then(settle, settle);
  await sleep(5);
  return settled;
}

describe('LargeResponses', () => {
  afterEach(() => jest.useRealTimers());

  it('admits two at once, and the others in order of arrival', async () => {
    const responses = new LargeResponses();
    await Promise.all([responses.enter(staying()), responses.enter(staying())]);
    const third = responses.enter(staying());
    const fourth = responses.enter(staying());
    expect(await isSettled(third)).toBe(false);
    responses.leave();
    expect([await isSettled(third), await isSettled(fourth)]).toEqual([true, false]);
    responses.leave();
    expect(await isSettled(fourth)).toBe(true);
    expect(await isSettled(responses.enter(staying()))).toBe(false);
  });

  it('forgets a client that disconnected while it waited', async () => {
    const responses = new LargeResponses();
    await Promise.all([responses.enter(staying()), responses.enter(staying())]);
    const leaving = new AbortController();
    const left = responses.enter(leaving.signal);
    const next = responses.enter(staying());
    leaving.abort(new HistoryError('CLIENT_LEFT', 'gone'));
    await expect(left).rejects.toMatchObject({ code: 'CLIENT_LEFT' });
    responses.leave();
    expect(await isSettled(next)).toBe(true);
  });

  it('refuses immediately if too many wait', async () => {
    const responses = new LargeResponses();
    await Promise.all([responses.enter(staying()), responses.enter(staying())]);
    const waiting = Array.from({ length: 64 }, () => responses.enter(staying()));
    await expect(responses.enter(staying())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (let left = 0; left < 64; left++) responses.leave();
    await Promise.all(waiting);
  });

  it('refuses a request that has waited for twenty seconds', async () => {
    const responses = new LargeResponses();
    await Promise.all([responses.enter(staying()), responses.enter(staying())]);
    jest.useFakeTimers();
    const refused = expect(responses.enter(staying())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    jest.advanceTimersByTime(20_000);
    await refused;
  });

  it.each<[string, (client: AbortController) => void]>([
    ['disconnects', (client) => client.abort(new HistoryError('CLIENT_LEFT', 'gone'))],
    ['is still served after the longest wait', () => jest.advanceTimersByTime(6_000)],
  ])('keeps the others in the queue when a client that has waited %s', async (_, happens) => {
    const responses = new LargeResponses();
    await Promise.all([responses.enter(staying()), responses.enter(staying())]);
    jest.useFakeTimers();
    const client = new AbortController();
    const admitted = responses.enter(client.signal);
    responses.leave();
    await admitted;
    jest.advanceTimersByTime(15_000);
    const next = responses.enter(staying());
    happens(client);
    responses.leave();
    jest.useRealTimers();
    expect(await isSettled(next)).toBe(true);
  });

  it('does not admit a client that has already disconnected', async () => {
    const left = new AbortController();
    left.abort(new HistoryError('CLIENT_LEFT', 'gone'));
    await expect(new LargeResponses().enter(left.signal)).rejects.toMatchObject({ code: 'CLIENT_LEFT' });
  });
});
