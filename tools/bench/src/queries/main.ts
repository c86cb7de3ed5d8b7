#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startIndexedService } from '@antelope-history/processes';
import { measureCase, type QueryFigures } from './measure-queries';
import { findQueryCases } from './query-cases';

const USAGE = `npm run bench:queries -- --recording DIR [--runs N] [--seconds N] [--connections N] [--out FILE]

Indexes a recorded chain into the embedded store and measures requests to the whole service, gateway included, against an
Express handler on one thread that sends the same bytes from memory: the limit. Both run in turns; ratios are medians of the
runs. --out writes all figures as JSON. Exit status 1 if the two sides ever sent different bytes.
`;

async function run(args: string[]): Promise<void> {
  const number = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args,
    options: {
      recording: { type: 'string' },
      runs: number('5'),
      seconds: number('3'),
      connections: number('16'),
      out: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help || values.recording === undefined) {
    process.stdout.write(USAGE);
    if (!values.help) process.exitCode = 1;
    return;
  }
  const options = {
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
  };
  const service = await startIndexedService(values.recording);
  const figures: QueryFigures[] = [];
  try {
    print(['request', 'bytes', 'requests/s', 'Express', 'ratio', 'lowest', 'highest', 'ms at 1', 'equal']);
    for (const query of await findQueryCases(service.url)) {
      const measured = await measureCase(service.url, query, options);
      figures.push(measured);
      print(cellsOf(measured));
    }
  } finally {
    await service.stop();
  }
  if (values.out !== undefined) {
    const machine = { node: process.version, processors: cpus().map(({ model }) => model) };
    writeFileSync(values.out, `${JSON.stringify({ machine, options, figures }, null, 2)}\n`);
  }
  if (figures.some(({ equal }) => !equal)) process.exitCode = 1;
}

function cellsOf({ name, bytes, service, bare, meanMs, equal }: QueryFigures): string[] {
  const ratios = service
    .map((perSecond, index) => perSecond / (bare[index] ?? NaN))
    .sort((left, right) => left - right);
  return [
    name,
    String(bytes),
    medianOf(service).toFixed(0),
    medianOf(bare).toFixed(0),
    ...[medianOf(ratios), ratios[0] ?? NaN, ratios.at(-1) ?? NaN].map((ratio) => ratio.toFixed(2)),
    medianOf(meanMs).toFixed(2),
    equal ? 'yes' : 'NO',
  ];
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? NaN;
}

const WIDTHS = [24, 8, 11, 9, 7, 7, 8, 8, 6];

function print(cells: string[]): void {
  const line = cells.map((cell, index) =>
    index === 0 ? cell.padEnd(WIDTHS[0] ?? 0) : cell.padStart(WIDTHS[index] ?? 0),
  );
  process.stdout.write(`${line.join(' ')}\n`);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`bench:queries: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
