import { withoutControls } from '@antelope-history/quick-start/progress';
import type { CheckResult } from './run-checks';

/** A result as one line of text. */
export function renderText({ check, finding }: CheckResult): string {
  const { outcome, what, change } = finding;
  return withoutControls(`${WORDS[outcome].padEnd(9)}${check}: ${what}${change === '' ? '' : ` -> ${change}`}`);
}

/** A result as one line of JSON. */
export function renderJson({ check, finding }: CheckResult): string {
  return JSON.stringify({ check, ...finding });
}

/** The last line of the text output. */
export function renderSummary(results: CheckResult[]): string {
  const count = (outcome: CheckResult['finding']['outcome']): number =>
    results.filter(({ finding }) => finding.outcome === outcome).length;
  return `${count('ok')} ok, ${count('warning')} to look at, ${count('wrong')} wrong, ${count('unknown')} not checked`;
}

/** Whether no check found a fault, and every check ran. */
export function hasNoFault(results: CheckResult[]): boolean {
  return results.every(({ finding: { outcome } }) => outcome === 'ok' || outcome === 'warning');
}

const WORDS = { ok: 'ok', warning: 'look at', wrong: 'WRONG', unknown: 'unknown' };
