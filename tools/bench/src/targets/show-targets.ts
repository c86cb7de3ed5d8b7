import { parseArgs } from 'node:util';
import { markdownTable } from '../markdown-table';
import { readTargets } from './measured-folder';
import { isMet, type TargetRow } from './target-row';

const USAGE = `npm run bench -- targets --from FOLDER

Prints how the figures in a folder that npm run bench -- all has written meet the targets, as a Markdown table.
`;

/** Prints the targets of the files in a folder. */
export function showTargets(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { from: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help || values.from === undefined) {
    process.stdout.write(USAGE);
    if (!values.help) process.exitCode = 1;
  } else {
    process.stdout.write(targetTable(values.from));
  }
  return Promise.resolve();
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
