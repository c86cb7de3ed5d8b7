import { parseNumber, startIndexedService } from '@antelope-history/processes';
import { writeBenchmarkFile } from '../benchmark-file';
import { readOptions } from '../command-line';
import { LOAD_OPTIONS, readLoadOptions } from '../load-options';
import { measureCase, medianOf, type QueryFigures } from './measure-queries';
import { findQueryCases } from './query-cases';
import { WithoutHttp } from './without-http';

const USAGE = `npm run bench -- queries --recording DIR [--runs N] [--seconds N] [--connections N] [--threads N] [--out FILE]

Indexes a recorded chain into the embedded store and measures requests to the whole service, gateway included, against an
Express handler in a process of its own that sends the same bytes from memory: the limit. Both run in turns, at least five times;
ratios are medians of the runs, with the lowest and the highest. The ratio of processor times, of all threads of both processes,
depends less on what else runs on the machine; "main" is that of the service's main thread alone. --threads: the threads that
render responses (default 0: the one that reads requests does). "p50 at 1" is the median response time with one connection, in
milliseconds. The last columns are processor times of what the service cannot be without: node's HTTP server, which sends the same
bytes from memory; the endpoint in this process without HTTP; and JSON.stringify of the response's objects. --out writes all figures as JSON. Exit status 1 if the two sides ever sent different bytes.
`;

/** As `api.threads` takes them. */
const THREADS = [0, 64] as const;

/** Requests to the embedded set. */
export async function benchQueries(args: string[]): Promise<void> {
  const described = { ...LOAD_OPTIONS, threads: { type: 'string', default: '0' } } as const;
  const values = readOptions(args, { usage: USAGE, options: described, required: ['recording'] });
  if (!values) return;
  const options = { ...readLoadOptions(values), threads: parseNumber('threads', values.threads, THREADS) };
  const service = await startIndexedService(values.recording, { HISTORY_API__THREADS: String(options.threads) });
  const figures: QueryFigures[] = [];
  const endpoints = await WithoutHttp.open(service.data);
  try {
    print([...HEADINGS]);
    for (const query of await findQueryCases(service.url)) {
      const measured = await measureCase(service, endpoints, query, options);
      figures.push(measured);
      print(cellsOf(measured));
    }
  } finally {
    await endpoints.close();
    await service.stop();
  }
  writeBenchmarkFile(values.out, { benchmark: 'queries', options, figures });
  if (figures.some(({ equal }) => !equal)) process.exitCode = 1;
}

const HEADINGS = [
  'request',
  'bytes',
  'requests/s',
  'Express',
  'ratio',
  'lowest',
  'highest',
  'cpu ms',
  'Express',
  'ratio',
  'main',
  'p50 at 1',
  'node http',
  'endpoint',
  'stringify',
  'equal',
] as const;

function cellsOf({ name, bytes, service, bare, aloneMs, limits, equal }: QueryFigures): string[] {
  const ratios = service
    .map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? NaN))
    .sort((left, right) => left - right);
  const processorMs = medianOf(service.map((run) => run.processorMs ?? NaN));
  const mainThreadMs = medianOf(service.map((run) => run.mainThreadMs ?? NaN));
  const bareProcessorMs = medianOf(bare.map((run) => run.processorMs ?? NaN));
  return [
    name,
    String(bytes),
    medianOf(service.map(({ perSecond }) => perSecond)).toFixed(0),
    medianOf(bare.map(({ perSecond }) => perSecond)).toFixed(0),
    ...[medianOf(ratios), ratios[0] ?? NaN, ratios.at(-1) ?? NaN].map((ratio) => ratio.toFixed(2)),
    ...[processorMs, bareProcessorMs, bareProcessorMs / processorMs, mainThreadMs].map((value) => value.toFixed(2)),
    ...[aloneMs, limits.bareHttpMs, limits.withoutHttpMs, limits.stringifyMs].map((values) =>
      medianOf(values).toFixed(2),
    ),
    equal ? 'yes' : 'NO',
  ];
}

function print(cells: string[]): void {
  const line = cells.map((cell, index) =>
    index === 0 ? cell.padEnd(FIRST_WIDTH) : cell.padStart(Math.max(WIDTH, HEADINGS[index]?.length ?? 0)),
  );
  process.stdout.write(`${line.join(' ')}\n`);
}

const FIRST_WIDTH = 24;
const WIDTH = 8;
