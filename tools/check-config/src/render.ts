import type { CheckResult } from './run-checks';

/** A result on one line, for people. */
export function renderText({ check, finding }: CheckResult): string {
  const { outcome, what, change } = finding;
  return onOneLine(`${WORDS[outcome].padEnd(9)}${check}: ${what}${change === '' ? '' : ` -> ${change}`}`);
}

/** The same for machines: one JSON object on a line. */
export function renderJson({ check, finding }: CheckResult): string {
  return JSON.stringify({ check, ...finding });
}

/** The last line, for people. */
export function renderSummary(results: CheckResult[]): string {
  const count = (outcome: CheckResult['finding']['outcome']): number =>
    results.filter(({ finding }) => finding.outcome === outcome).length;
  return `${count('ok')} ok, ${count('warning')} to look at, ${count('wrong')} wrong, ${count('unknown')} not checked`;
}

/** Whether the service can be expected to work. */
export function isInOrder(results: CheckResult[]): boolean {
  return results.every(({ finding: { outcome } }) => outcome === 'ok' || outcome === 'warning');
}

const WORDS = { ok: 'ok', warning: 'look at', wrong: 'WRONG', unknown: 'unknown' };

/** Parts of it came from servers, whose control characters would command a terminal. */
function onOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
