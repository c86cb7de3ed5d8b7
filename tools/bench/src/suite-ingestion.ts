import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AppName, peakMemory, type Suite, type SuiteProgress, startSuite } from '@antelope-history/processes';
import type { ServiceName } from '@antelope-history/servers';
import { ElasticsearchRequests } from './index-documents';
import type { MeasuredChain } from './measured-chain';
import { listenerOf, processorSeconds } from './processor-time';

export interface SuiteCounts {
  deserializers: number;
  indexers: number;
  /** Number of processes of each API. */
  apis: number;
}

export interface SuiteIngestionFigures {
  /** Time from the request for the first block to the commit of the last block. */
  seconds: number;
  /** Processor time in these seconds. */
  processorSeconds: ProcessorTimes;
  /** Peak resident memory of a process of each app, the largest of its processes. */
  peakMemoryBytes: Map<AppName, number>;
  figures: SuiteProgress;
  /** By the records of the index: `actions`. */
  indices: Map<string, IndexFigures>;
}

/** Seconds by app, summed over its processes, and by server; undefined for a server on another machine. */
export type ProcessorTimes = Map<AppName | ServiceName, number | undefined>;

export interface IndexFigures {
  documents: number;
  /** Older versions that the merge has left. */
  deleted: number;
  /** Size after a merge into one segment. */
  bytes: number;
}

/** Indexes a chain with a suite of its own and measures it. `then` is called before the suite's data is removed. */
export async function measureSuiteIngestion(
  { recording, environment, serve }: MeasuredChain,
  counts: SuiteCounts,
  then: (suite: Suite, figures: SuiteIngestionFigures) => Promise<void>,
): Promise<void> {
  const logFolder = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
  const served = await serve();
  let suite: Suite | undefined;
  try {
    suite = await startSuite({ ...counts, shipUrl: served.url, logFolder, environment });
    const lastBlock = recording.messages.at(-1)?.thisBlock;
    if (!lastBlock) throw new Error('the recording ends without a block');
    const before = readProcessorTimes(suite);
    await suite.untilCommitted(lastBlock);
    const seconds = (Date.now() - readStart(path.join(logFolder, 'reader.log'))) / 1000;
    const used = subtract(readProcessorTimes(suite), before);
    const figures = await suite.figures();
    const peakMemoryBytes = readPeakMemory(suite);
    await then(suite, { seconds, processorSeconds: used, peakMemoryBytes, figures, ...(await measureStore(suite)) });
  } finally {
    await suite?.stop();
    await served.stop();
    rmSync(logFolder, { recursive: true, force: true });
  }
}

/** Time of the reader's first request for blocks, in milliseconds since 1970, from its log. */
function readStart(logFile: string): number {
  const entries = readFileSync(logFile, 'utf8').trim().split('\n');
  const start = entries
    .map((line) => JSON.parse(line) as { msg: string; time: number })
    .find(({ msg }) => msg === 'reading state history');
  if (!start) throw new Error('no start of reading in the log of the reader');
  return start.time;
}

function readProcessorTimes({ apps, set }: Suite): ProcessorTimes {
  const times: ProcessorTimes = new Map();
  for (const { app, pid } of apps) times.set(app, (times.get(app) ?? 0) + (processorSeconds(pid) ?? 0));
  for (const [name, url] of set.servers) {
    const pid = listenerOf(Number(new URL(url).port));
    times.set(name, pid === undefined ? undefined : processorSeconds(pid));
  }
  return times;
}

function readPeakMemory({ apps }: Suite): Map<AppName, number> {
  const peaks = new Map<AppName, number>();
  for (const { app, pid } of apps) peaks.set(app, Math.max(peaks.get(app) ?? 0, peakMemory(pid) ?? 0));
  return peaks;
}

function subtract(after: ProcessorTimes, before: ProcessorTimes): ProcessorTimes {
  return new Map([...after].map(([name, seconds]) => [name, seconds && seconds - (before.get(name) ?? 0)]));
}

/** Elasticsearch notes it each 30 s (`index.soft_deletes.retention_lease.sync_interval`). */
const RETENTION_LEASE_MS = 35_000;

interface StatsResponse {
  indices: Record<
    string,
    { primaries: { docs: { count: number; deleted: number }; store: { size_in_bytes: number } } }
  >;
}

async function measureStore({ set }: Suite): Promise<Pick<SuiteIngestionFigures, 'indices'>> {
  const requests = new ElasticsearchRequests(set.servers.get('elasticsearch') ?? '');
  const names = await requests.indices(set.name);
  // A merge drops the copies of documents for the recovery of replicas once the primary has noted that no replica needs them.
  await sleep(RETENTION_LEASE_MS);
  // A merge removes deleted documents below the last flush only; the next refresh closes the merged segments, which then go.
  for (const command of ['_flush', '_forcemerge?max_num_segments=1', '_flush', '_refresh']) {
    await requests.send('POST', `${names.join()}/${command}`);
  }
  const stats = await requests.send<StatsResponse>('GET', `${names.join()}/_stats/docs,store`);
  const indices = new Map<string, IndexFigures>();
  for (const [name, { primaries }] of Object.entries(stats.indices)) {
    const records = name.slice(set.name.length + 1).split('-')[0] as string;
    const { documents, deleted, bytes } = indices.get(records) ?? { documents: 0, deleted: 0, bytes: 0 };
    const { docs, store } = primaries;
    indices.set(records, {
      documents: documents + docs.count,
      deleted: deleted + docs.deleted,
      bytes: bytes + store.size_in_bytes,
    });
  }
  return { indices };
}
