import { readOptions } from '../command-line';
import { markdownTable } from '../markdown-table';
import { readTargets } from './measured-folder';
import { isMet, type TargetRow } from './target-row';

const USAGE = `npm run bench -- targets --from FOLDER

Prints how the figures in a folder that npm run bench -- all has written meet the targets, as a Markdown table.
`;

/** Prints the targets of the files in a folder. */
export async function showTargets(args: string[]): Promise<void> {
  const options = { from: { type: 'string' }, help: { type: 'boolean' } } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['from'] });
  if (values) process.stdout.write(targetTable(values.from));
}

/** The table of the targets, and a line about the files that the folder lacks. */
export function targetTable(folder: string): string {
  const { rows, missing } = readTargets(folder);
  const met = rows.filter(isMet).length;
  const table = markdownTable([HEADINGS, ...rows.map(cellsOf)]);
  const lacking = missing.length === 0 ? '' : `The folder lacks ${missing.join(', ')}.\n`;
  return `${table}\n${met} of ${rows.length} targets are met.\n${lacking}`;
}

const HEADINGS = ['what', 'against', 'target', 'measured', 'met'];

function cellsOf(row: TargetRow): string[] {
  const { what, against, measured, bound, value } = row;
  return [
    what,
    against,
    `${bound} ${value}`,
    measured >= 10 ? measured.toFixed(0) : measured.toFixed(2),
    isMet(row) ? 'yes' : 'no',
  ];
}
