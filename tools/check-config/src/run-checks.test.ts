import { ok, warning, wrong, type Check, type Finding } from '@antelope-history/connections/check';
import { HistoryError } from '@antelope-history/schemas';
import { setTimeout as sleep } from 'node:timers/promises';
import { runChecks, type CheckResult } from './run-checks';

const check = (name: string, run: Check['run'], needs: string[] = []): Check => ({ name, needs, run });
const finds =
  (finding: Finding, afterMs = 0) =>
  async () => {
    await sleep(afterMs);
    return finding;
  };

async function resultsOf(checks: Check[], limitMs = 1_000): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for await (const result of runChecks(checks, limitMs)) results.push(result);
  return results;
}

const idsOf = (results: CheckResult[]) =>
  results.map(({ check: name, finding }) => [name, finding.outcome, finding.id]);

describe('runChecks', () => {
  it('gives every result in the order of the list, whichever is done first', async () => {
    const started: string[] = [];
    const findsAfterAll = (name: string, finding: Finding) => async () => {
      started.push(name);
      while (started.length < 2) await sleep(1);
      return finding;
    };
    const results = await resultsOf([
      check('slow', findsAfterAll('slow', wrong('slow.bad', 'bad', 'mend it'))),
      check('fast', finds(ok('fast.good', 'good'))),
      check('also slow', findsAfterAll('also slow', ok('also.good', 'good'))),
    ]);
    expect(idsOf(results)).toEqual([
      ['slow', 'wrong', 'slow.bad'],
      ['fast', 'ok', 'fast.good'],
      ['also slow', 'ok', 'also.good'],
    ]);
  });

  it('does not run what needs something that is not in order, and says what', async () => {
    const ran: string[] = [];
    const noting = (name: string, needs: string[]) =>
      check(name, async () => (ran.push(name), ok(`${name}.good`, 'good')), needs);
    const results = await resultsOf([
      check('door', finds(wrong('door.shut', 'shut', 'open it'))),
      check('window', finds(warning('window.dirty', 'dirty', 'clean it'))),
      noting('room', ['door']),
      noting('chair', ['room']),
      noting('view', ['window']),
    ]);
    expect(ran).toEqual(['view']);
    expect(results[2]?.finding).toEqual({
      outcome: 'unknown',
      id: 'check.not_run',
      what: 'could not be checked: it needs "door" to be in order',
      change: '',
    });
    expect(results[3]?.finding.id).toBe('check.not_run');
  });

  it('ends a check that takes too long, and tells it', async () => {
    let told: AbortSignal | undefined;
    const hanging = check('hanging', (signal) => ((told = signal), new Promise(() => undefined)));
    const [result] = await resultsOf([hanging], 50);
    expect([result?.finding.outcome, result?.finding.id]).toEqual(['unknown', 'check.too_slow']);
    expect(told?.aborted).toBe(true);
  });

  it('takes what a check says when its time is up', async () => {
    const speaking = check('speaking', (signal) => {
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(wrong('a.silent', 'silent', ''))));
    });
    const [result] = await resultsOf([speaking], 50);
    expect(result?.finding.id).toBe('a.silent');
  });

  it('shows our own errors, and of others no more than their kind', async () => {
    const results = await resultsOf([
      check('ours', () => Promise.reject(new HistoryError('STORE_UNAVAILABLE', 'the store is away'))),
      check('theirs', () => Promise.reject(new TypeError('redis://user:secret@host is no URL'))),
    ]);
    expect(results.map(({ finding }) => finding.what)).toEqual([
      'could not be checked: the store is away',
      'could not be checked: the check itself failed (TypeError)',
    ]);
  });

  it('refuses a list in which a need does not stand before the check', async () => {
    const lost = check('lost', finds(ok('a', 'b')), ['nowhere']);
    await expect(resultsOf([lost])).rejects.toThrow('lost needs nowhere');
  });
});
