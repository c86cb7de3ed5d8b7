import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { NamedReason } from './comparison';
import { NAMED_REASONS } from './named-reasons';
import { renderTable } from './table';
import type { Outcome } from './tally';

/** The document; the text between its marks is generated. */
const PAGE = path.join(__dirname, '..', '..', '..', 'docs', 'compatibility.md');
const BEGIN = '<!-- made by npm run conformance -- --write -->\n';
const END = '<!-- end -->\n';

/** The reasons with their counts, and the table of all comparisons, as Markdown. */
export function renderReport(outcomes: readonly Outcome[]): string {
  const reasons = NAMED_REASONS.map((reason) => describeReason(reason, outcomes));
  return `## Where responses differ\n\n${reasons.join('')}\n## What was compared\n\n${renderTable(outcomes)}`;
}

function describeReason({ name, sentence }: NamedReason, outcomes: readonly Outcome[]): string {
  const counts = outcomes
    .filter(({ different }) => different[name] !== undefined)
    .map(({ endpoint, recording, different }) => `${different[name]} of ${endpoint} on ${recording}`);
  return `- **${name}**: ${sentence} (${counts.join(', ')})\n`;
}

/** The generated text that the document has now. */
export function readReport(): string {
  return splitPage().report;
}

export function writeReport(report: string): void {
  const { before, after } = splitPage();
  writeFileSync(PAGE, `${before}${BEGIN}\n${report}\n${END}${after}`);
}

function splitPage(): { before: string; report: string; after: string } {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} lacks the marks "${BEGIN.trim()}" and "${END.trim()}"`);
  return {
    before: page.slice(0, begin),
    report: page.slice(begin + BEGIN.length + 1, end - 1),
    after: page.slice(end + END.length),
  };
}
