import { LIMITS, SHARED_MACHINE } from './limits';
import type { Outcome } from './attack-run';

export const HEADINGS = ['attack', 'requests', 'status', 'most MiB', 'longest s', '/live ms', 'RSS MiB', 'faults'];

const MIB = 1024 * 1024;

/** One row of the Markdown table. */
export function renderRow(outcome: Outcome): string {
  const { attack, request, count, statuses, bytes, seconds, liveMs, residentBytes, ended, faults } = outcome;
  const cells = [
    attack,
    `${request} × ${count}`,
    [...statuses].map(([status, times]) => `${status || 'none'} × ${times}`).join(', ') +
      (ended ? ', service ended' : ''),
    (bytes / MIB).toFixed(1),
    seconds.toFixed(2),
    String(liveMs),
    ended ? 'ended' : String(Math.round(residentBytes / MIB)),
    faults.length === 0 ? '' : `${faults.length}: ${faults[0] ?? ''}`,
  ];
  return renderCells(cells);
}

export function renderHead(): string {
  return renderCells(HEADINGS) + renderCells(HEADINGS.map(() => '---'));
}

function renderCells(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

/** The limits that an outcome exceeds. Times may be longer by the factor `allowance`. */
export function excesses(outcome: Outcome, allowance = SHARED_MACHINE): string[] {
  const { bytes, seconds, liveMs, residentBytes, ended, faults } = outcome;
  const found = [...faults];
  if (ended) found.push('the service ended');
  if (bytes > LIMITS.bodyBytes) found.push(`a body of ${bytes} bytes`);
  if (seconds > LIMITS.seconds * allowance) found.push(`${seconds.toFixed(1)} s for one request`);
  if (liveMs > LIMITS.liveMs * allowance) found.push(`${liveMs} ms for /live`);
  if (residentBytes > LIMITS.residentBytes) found.push(`${Math.round(residentBytes / MIB)} MiB of memory`);
  return found.map((text) => `${outcome.attack}, ${outcome.request}: ${text}`);
}
