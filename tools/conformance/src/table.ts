import type { Outcome } from './tally';

const HEADINGS = ['endpoint', 'recording', 'compared', 'equal', 'different by reason', 'unexplained'];

/** The outcomes as a Markdown table. */
export function renderTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ endpoint, recording, compared, equal, different, unexplained }) => [
    endpoint,
    recording,
    String(compared),
    String(equal),
    Object.entries(different)
      .map(([reason, count]) => `${reason} ${count}`)
      .join(', '),
    String(unexplained.length),
  ]);
  return [HEADINGS, HEADINGS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
