import { unknown, type Check, type Finding } from '@antelope-history/connectivity/check';
import { HistoryError } from '@antelope-history/schemas';

export interface CheckResult {
  /** The check's name. */
  check: string;
  finding: Finding;
}

/** The time in which an aborted check can still return a finding. */
const ABORT_GRACE_MS = 500;

/**
 * Runs checks concurrently, each after the checks that it needs, and yields the results in the order of the list. A check is
 * aborted after `limitMs`. A check whose needs failed does not run; its result is `check.not_run`.
 */
export async function* runChecks(checks: Check[], limitMs: number): AsyncGenerator<CheckResult> {
  const findings = new Map<string, Promise<Finding>>();
  for (const check of checks) findings.set(check.name, runWhenReady(check, findings, limitMs));
  for (const { name } of checks) {
    const finding = await findings.get(name);
    if (finding) yield { check: name, finding };
  }
}

/** The needs of a check precede it in the list, so that their runs have started. */
async function runWhenReady(check: Check, findings: Map<string, Promise<Finding>>, limitMs: number): Promise<Finding> {
  for (const need of check.needs) {
    const finding = await findings.get(need);
    if (!finding) throw new Error(`${check.name} needs ${need}, which does not precede it`);
    if (finding.outcome === 'wrong' || finding.outcome === 'unknown') {
      return unknown('check.not_run', `could not be checked: the check "${need}" must succeed first`);
    }
  }
  return runInTime(check, limitMs);
}

async function runInTime(check: Check, limitMs: number): Promise<Finding> {
  const limit = new AbortController();
  const timeUp = setTimeout(() => limit.abort(), limitMs);
  let giveUp: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = unknown('check.too_slow', `could not be checked within ${limitMs / 1000} seconds`);
    giveUp = setTimeout(() => resolve(finding), limitMs + ABORT_GRACE_MS);
  });
  try {
    return await Promise.race([check.run(limit.signal), late]);
  } catch (error) {
    return unknown('check.failed', `could not be checked: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timeUp);
    clearTimeout(giveUp);
  }
}

/** The text of an error for the user. Messages of `HistoryError` contain no secrets; those of other errors can. */
function reasonOf(error: unknown): string {
  if (error instanceof HistoryError) return error.message;
  const name = error instanceof Error ? error.name : typeof error;
  return `the check itself failed (${name})`;
}
