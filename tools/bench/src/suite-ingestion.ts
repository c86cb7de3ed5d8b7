import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Recording } from '@antelope-history/test-support/recordings';
import { startReplay, stop } from '@antelope-history/service-process';
import { type AppKind, startSuite, type Suite, type SuiteFigures } from '@antelope-history/suite';
import type { ServiceName } from '@antelope-history/services';
import { ElasticsearchRequests } from './index-documents';
import { listenerOf, processorSeconds } from './processor-time';

export interface SuiteCounts {
  deserializers: number;
  indexers: number;
  /** Of each API. */
  apis: number;
}

export interface SuiteIngestionFigures {
  /** From the request of the first block to the last block committed. */
  seconds: number;
  /** Seconds of processor time meanwhile. */
  processorSeconds: ProcessorTimes;
  figures: SuiteFigures;
  /** By what is kept in them: `actions`. */
  indices: Map<string, IndexFigures>;
}

/** By who used it: apps by their kind; undefined of servers that are not on this machine. */
export type ProcessorTimes = Map<AppKind | ServiceName, number | undefined>;

export interface IndexFigures {
  documents: number;
  /** When it is merged. */
  bytes: number;
}

/** A node that is far ahead of us, as in a backfill: else every block would be its newest and be written at once. */
const AT_END = ['--at-end'];

/** Indexes a recording by a suite of its own, and measures it. `then` is called while what it wrote is still there. */
export async function measureSuiteIngestion(
  folder: string,
  recording: Recording,
  counts: SuiteCounts,
  then: (suite: Suite, figures: SuiteIngestionFigures) => Promise<void>,
): Promise<void> {
  const logFolder = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
  const replay = await startReplay(folder, AT_END);
  let suite: Suite | undefined;
  try {
    suite = await startSuite({ ...counts, shipUrl: replay.url, logFolder });
    const lastBlock = recording.messages.at(-1)?.thisBlock;
    if (!lastBlock) throw new Error('the recording ends without a block');
    const before = readProcessorTimes(suite);
    await suite.untilCommitted(lastBlock);
    const seconds = (Date.now() - readStart(path.join(logFolder, 'reader.log'))) / 1000;
    const used = subtract(readProcessorTimes(suite), before);
    const figures = await suite.figures();
    await then(suite, { seconds, processorSeconds: used, figures, ...(await measureStore(suite)) });
  } finally {
    await suite?.stop();
    await stop(replay.child);
    rmSync(logFolder, { recursive: true, force: true });
  }
}

/** When the reader asked the node for the first block, in milliseconds since 1970, by its own log. */
function readStart(logFile: string): number {
  const entries = readFileSync(logFile, 'utf8').trim().split('\n');
  const start = entries
    .map((line) => JSON.parse(line) as { msg: string; time: number })
    .find(({ msg }) => msg === 'reading state history');
  if (!start) throw new Error('the reader did not say when it began');
  return start.time;
}

function readProcessorTimes({ apps, set }: Suite): ProcessorTimes {
  const times: ProcessorTimes = new Map();
  for (const { kind, pid } of apps) times.set(kind, (times.get(kind) ?? 0) + (processorSeconds(pid) ?? 0));
  for (const [name, url] of set.servers) {
    const pid = listenerOf(Number(new URL(url).port));
    times.set(name, pid === undefined ? undefined : processorSeconds(pid));
  }
  return times;
}

function subtract(after: ProcessorTimes, before: ProcessorTimes): ProcessorTimes {
  return new Map([...after].map(([name, seconds]) => [name, seconds && seconds - (before.get(name) ?? 0)]));
}

interface StatsAnswer {
  indices: Record<string, { primaries: { docs: { count: number }; store: { size_in_bytes: number } } }>;
}

async function measureStore({ set }: Suite): Promise<Pick<SuiteIngestionFigures, 'indices'>> {
  const requests = new ElasticsearchRequests(set.servers.get('elasticsearch') ?? '');
  const names = await requests.indices(set.name);
  for (const command of ['_refresh', '_forcemerge?max_num_segments=1', '_flush']) {
    await requests.send('POST', `${names.join()}/${command}`);
  }
  const stats = await requests.send<StatsAnswer>('GET', `${names.join()}/_stats/docs,store`);
  const indices = new Map<string, IndexFigures>();
  for (const [name, { primaries }] of Object.entries(stats.indices)) {
    const kind = name.slice(set.name.length + 1).split('-')[0] as string;
    const { documents, bytes } = indices.get(kind) ?? { documents: 0, bytes: 0 };
    const { docs, store } = primaries;
    indices.set(kind, { documents: documents + docs.count, bytes: bytes + store.size_in_bytes });
  }
  return { indices };
}
