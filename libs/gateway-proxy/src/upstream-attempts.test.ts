import { request } from 'node:http';
import { Socket } from 'node:net';
import { type Attempt, FaultFound, UpstreamAttempts } from './upstream-attempts';

describe('attempts that wait for their responses', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const CHECK_EVERY_MS = 1_000;

  function waitingAt(attempts: UpstreamAttempts, url: string, options: Partial<Attempt> = {}) {
    const attempt: Attempt = { endsAt: 0, repeat: () => undefined, isFirst: true, url, ...options };
    const errors: Error[] = [];
    const sent = request({ createConnection: () => new Socket() }).on('error', (error) => errors.push(error));
    attempts.beginWait(attempt, sent);
    return { attempt, sent, errors };
  }

  it('are checked until the last of them has its response or has ended, in any order', () => {
    const check = jest.fn();
    const attempts = new UpstreamAttempts(check, CHECK_EVERY_MS);
    const [first, second, third] = ['a', 'b', 'a'].map((url) => waitingAt(attempts, url));
    if (!first || !second || !third) throw new Error('an attempt is missing');
    jest.advanceTimersByTime(CHECK_EVERY_MS);
    attempts.endWait(first.attempt);
    attempts.endWait(first.attempt);
    third.sent.emit('close');
    jest.advanceTimersByTime(CHECK_EVERY_MS);
    expect(check).toHaveBeenCalledTimes(2);
    attempts.endWait(second.attempt);
    jest.advanceTimersByTime(10 * CHECK_EVERY_MS);
    expect([check.mock.calls.length, jest.getTimerCount()]).toEqual([2, 0]);
  });

  it('are cut off where they wait for the server and can be repeated', async () => {
    const attempts = new UpstreamAttempts(() => undefined, CHECK_EVERY_MS);
    const cut = [waitingAt(attempts, 'a'), waitingAt(attempts, 'a'), waitingAt(attempts, 'a')];
    const elsewhere = waitingAt(attempts, 'b');
    const final = waitingAt(attempts, 'a', { repeat: undefined });
    const ended = waitingAt(attempts, 'a');
    attempts.endWait(ended.attempt);
    attempts.cutOff('a');
    await jest.advanceTimersByTimeAsync(0);
    for (const { errors } of cut) expect(errors).toEqual([expect.any(FaultFound)]);
    for (const { errors } of [elsewhere, final, ended]) expect(errors).toEqual([]);
    for (const { attempt } of [elsewhere, final]) attempts.endWait(attempt);
    expect(jest.getTimerCount()).toBe(0);
  });
});
