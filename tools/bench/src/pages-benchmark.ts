import { ADAPTER_SETS, parseAdapterSet, parseNumber } from '@antelope-history/processes';
import { readOptions, ROUNDS } from './command-line';
import { measurePages, type PageFigures } from './pages';

const USAGE = `npm run bench -- pages --recording DIR [--rounds N] [--set SET]

Indexes a recorded chain into a set of adapters (${ADAPTER_SETS.join(', ')}) and requests pages of get_actions at every depth over
HTTP: of the chain and of its hottest accounts, in both orders, with filters and bounds. Each response is compared with the
slice of the whole list. Each time is the median of several, as a ratio to the first page of the same list.
`;

/** Pages of `get_actions` at every depth. */
export async function benchPages(args: string[]): Promise<void> {
  const options = {
    recording: { type: 'string' },
    rounds: { type: 'string', default: '31' },
    set: { type: 'string', default: 'embedded' },
    help: { type: 'boolean' },
  } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['recording'] });
  if (!values) return;
  const figures = await measurePages(values.recording, {
    set: parseAdapterSet(values.set),
    rounds: parseNumber('rounds', values.rounds, ROUNDS),
    onList: (account, rows) => process.stderr.write(`${account ?? 'the chain'}: ${rows} actions\n`),
  });
  print(formatRow(['list', 'filter', 'of rows', 'order', 'pos', 'ms', 'ratio', 'equal']));
  for (const figure of figures) print(formatFigures(figure));
  const equal = figures.filter((figure) => figure.equal).length;
  const ratios = figures.map(({ ratio }) => ratio).sort((left, right) => left - right);
  const middle = ratios[ratios.length >> 1] ?? 0;
  print(`${equal} of ${figures.length} pages are equal to the slice of the whole list`);
  print(
    `times as ratio to the first page of the list: median ${middle.toFixed(2)}, highest ${(ratios.at(-1) ?? 0).toFixed(2)}`,
  );
  if (equal < figures.length) process.exitCode = 1;
}

function formatFigures({ account, narrowed, total, order, pos, medianMs, ratio, equal }: PageFigures): string {
  const numbers = [medianMs.toFixed(2), ratio.toFixed(2)];
  return formatRow([account ?? 'chain', narrowed, String(total), order, String(pos), ...numbers, equal ? 'yes' : 'NO']);
}

const WIDTHS = [13, 42, -8, -6, -8, -8, -7, -6];

/** A negative width aligns to the right. */
function formatRow(cells: string[]): string {
  return cells
    .map((cell, index) => {
      const width = WIDTHS[index] ?? 0;
      return width < 0 ? cell.padStart(-width) : cell.padEnd(width);
    })
    .join(' ')
    .trimEnd();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
