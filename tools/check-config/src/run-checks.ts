import { unknown, type Check, type Finding } from '@antelope-history/connections/check';
import { HistoryError } from '@antelope-history/schemas';

export interface CheckResult {
  /** The check's name. */
  check: string;
  finding: Finding;
}

/** For what a check says when its time is up. */
const LAST_WORD_MS = 500;

/**
 * Runs checks, each as soon as those that it needs are done, and gives the results in the order of the list. No check
 * takes longer than `limitMs`; one whose needs are not met is not run, and says so.
 */
export async function* runChecks(checks: Check[], limitMs: number): AsyncGenerator<CheckResult> {
  const findings = new Map<string, Promise<Finding>>();
  for (const check of checks) findings.set(check.name, runWhenReady(check, findings, limitMs));
  for (const { name } of checks) {
    const finding = await findings.get(name);
    if (finding) yield { check: name, finding };
  }
}

/** Needs stand before the check in the list, so their findings are under way. */
async function runWhenReady(check: Check, findings: Map<string, Promise<Finding>>, limitMs: number): Promise<Finding> {
  for (const need of check.needs) {
    const finding = await findings.get(need);
    if (!finding) throw new Error(`${check.name} needs ${need}, which does not stand before it`);
    if (finding.outcome === 'wrong' || finding.outcome === 'unknown') {
      return unknown('check.not_run', `could not be checked: it needs "${need}" to be in order`);
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
    giveUp = setTimeout(() => resolve(finding), limitMs + LAST_WORD_MS);
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

/** Only our own errors say nothing that must not be shown. */
function reasonOf(error: unknown): string {
  if (error instanceof HistoryError) return error.message;
  const name = error instanceof Error ? error.name : typeof error;
  return `the check itself failed (${name})`;
}
