import path from 'node:path';
import { GeneratedPart } from '@antelope-history/test-support/generated-part';
import type { NamedReason } from './comparison';
import { NAMED_REASONS } from './named-reasons';
import { renderTable } from './table';
import type { Outcome } from './tally';

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

/** The report in `docs/compatibility.md`, which `npm run conformance -- --write` writes. */
export function storedReport(): GeneratedPart {
  return new GeneratedPart(path.join(__dirname, '../../../docs/compatibility.md'), {
    begin: '<!-- made by npm run conformance -- --write -->',
    end: '<!-- end -->',
  });
}
