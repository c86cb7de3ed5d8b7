import { ok, warning, wrong, type Check, type Finding } from '@antelope-history/connectivity/check';
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
  it('yields the results in the order of the list, in whatever order the checks finish', async () => {
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

  it('does not run a check whose need failed, and names the need', async () => {
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
      what: 'could not be checked: the check "door" must succeed first',
      change: '',
    });
    expect(results[3]?.finding.id).toBe('check.not_run');
  });

  it('aborts a check that takes too long', async () => {
    let aborted: AbortSignal | undefined;
    const hanging = check('hanging', (signal) => ((aborted = signal), new Promise(() => undefined)));
    const [result] = await resultsOf([hanging], 50);
    expect([result?.finding.outcome, result?.finding.id]).toEqual(['unknown', 'check.too_slow']);
    expect(aborted?.aborted).toBe(true);
  });

  it('uses the finding of an aborted check', async () => {
    const speaking = check('speaking', (signal) => {
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(wrong('a.silent', 'silent', ''))));
    });
    const [result] = await resultsOf([speaking], 50);
    expect(result?.finding.id).toBe('a.silent');
  });

  it('shows the message of a HistoryError, and only the name of other errors', async () => {
    const results = await resultsOf([
      check('own', () => Promise.reject(new HistoryError('STORE_UNAVAILABLE', 'the store is down'))),
      check('foreign', () => Promise.reject(new TypeError('redis://user:secret@host is no URL'))),
    ]);
    expect(results.map(({ finding }) => finding.what)).toEqual([
      'could not be checked: the store is down',
      'could not be checked: the check itself failed (TypeError)',
    ]);
  });

  it('rejects a list in which a need does not precede its check', async () => {
    const lost = check('lost', finds(ok('a', 'b')), ['nowhere']);
    await expect(resultsOf([lost])).rejects.toThrow('lost needs nowhere');
  });
});
