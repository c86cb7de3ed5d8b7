import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { writeBenchmarkFile } from '../benchmark-file';
import { readOptions } from '../command-line';
import { LOAD_OPTIONS, readLoadOptions } from '../load-options';
import { medianOf } from '../queries/measure-queries';
import { findQueryCases } from '../queries/query-cases';
import { measureThreads, perThread, type ThreadFigures, type ThreadRun } from './measure-api-threads';

const USAGE = `npm run bench -- api-threads --recording DIR [--runs N] [--seconds N] [--connections N] [--out FILE]

Indexes a recorded chain into two embedded stores, of a service with one thread that renders responses and of one with two, and sends
requests to both in turns. Milliseconds of processor time per request: "main" is the thread that reads requests and sends responses,
"render" all threads that render together. "per thread" is the time of one thread as a share of that of two: 1 when a second thread
doubles what is rendered, wherever a processor is free for it. --out writes all figures as JSON. Exit status 1 if a response differs.
`;
const THREADS = [1, 2] as const;

/** What each thread that renders responses does, alone and beside another. */
export async function benchApiThreads(args: string[]): Promise<void> {
  const values = readOptions(args, { usage: USAGE, options: LOAD_OPTIONS, required: ['recording'] });
  if (!values) return;
  const options = readLoadOptions(values);
  const services: (IndexedService & { threads: number })[] = [];
  const figures: ThreadFigures[] = [];
  try {
    for (const threads of THREADS) {
      const service = await startIndexedService(values.recording, { HISTORY_API__THREADS: String(threads) });
      services.push({ ...service, threads });
    }
    print(HEADINGS);
    for (const query of await findQueryCases(services[0]?.url ?? '')) {
      const measured = await measureThreads(services, query, options);
      figures.push(measured);
      print(cellsOf(measured));
    }
  } finally {
    for (const service of services) await service.stop();
  }
  writeBenchmarkFile(values.out, { benchmark: 'api-threads', options, figures });
  if (figures.some(({ equal }) => !equal)) process.exitCode = 1;
}

const HEADINGS = [
  'request',
  ...THREADS.flatMap((threads) => [`req/s, ${threads}`, `main, ${threads}`, `render, ${threads}`]),
  'per thread',
  'equal',
];

function cellsOf(figures: ThreadFigures): string[] {
  const median = (runs: readonly ThreadRun[], figure: keyof ThreadRun): number =>
    medianOf(runs.map((run) => run[figure]));
  return [
    figures.name,
    ...figures.runs.flatMap((runs) => [
      median(runs, 'perSecond').toFixed(0),
      median(runs, 'mainMs').toFixed(2),
      median(runs, 'renderMs').toFixed(2),
    ]),
    ...perThread(figures).map((share) => share.toFixed(2)),
    figures.equal ? 'yes' : 'NO',
  ];
}

const FIRST_WIDTH = 24;
const WIDTH = 11;

function print(cells: readonly string[]): void {
  const line = cells.map((cell, index) => (index === 0 ? cell.padEnd(FIRST_WIDTH) : cell.padStart(WIDTH)));
  process.stdout.write(`${line.join(' ')}\n`);
}
