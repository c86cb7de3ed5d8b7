import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRecording } from '@antelope-history/test-support/recordings';
import { parseChoice } from './command-line';
import { startIndexedService } from './indexed-service';
import { stop } from './program';
import { startReplay } from './replay';
import { startSuite, type Suite, type SuiteOptions } from './suite/suite';
import { sumMetric } from './suite/suite-progress';

/** The sets of adapters: LMDB and memory in one process; Elasticsearch, RabbitMQ and Redis under a suite. */
export const ADAPTER_SETS = ['embedded', 'distributed'] as const;
export type AdapterSet = (typeof ADAPTER_SETS)[number];

/** The set that a command line names. Throws a `CommandLineError` when there is no such set. */
export function parseAdapterSet(name: string): AdapterSet {
  return parseChoice('set', name, ADAPTER_SETS);
}

/** A running service or suite that has indexed a whole recording. */
export interface IndexedChain {
  /** URL of the gateway. */
  url: string;
  /** Ids of its processes. */
  pids(): number[];
  /** Value of a metric without labels, summed over its processes. */
  metric(name: string): Promise<number>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface IndexedSuite extends IndexedChain {
  suite: Suite;
}

/**
 * Replays a recording into a suite of its own; resolves when the last block is committed. `replayOptions` are added to the
 * command line of tools/ship-replay.
 */
export async function startIndexedSuite(
  folder: string,
  options: Partial<SuiteOptions> = {},
  replayOptions: string[] = [],
): Promise<IndexedSuite> {
  const { thisBlock } = openRecording(folder).messages.at(-1) ?? {};
  const logFolder = mkdtempSync(path.join(tmpdir(), 'antelope-history-suite-'));
  const replay = await startReplay(folder, replayOptions);
  let suite: Suite | undefined;
  const stopAll = async (): Promise<void> => {
    await suite?.stop();
    await stop(replay.child);
    rmSync(logFolder, { recursive: true, force: true });
  };
  try {
    suite = await startSuite({ logFolder, ...options, shipUrl: replay.url });
    if (thisBlock) await suite.untilCommitted(thisBlock);
    const { url, apps } = suite;
    return {
      url,
      suite,
      pids: () => apps.map(({ pid }) => pid),
      metric: (name) => sumMetric(apps, name),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

export interface IndexedChainOptions {
  /** Configures the service. */
  environment?: Record<string, string>;
  /** Added to the command line of tools/ship-replay. */
  replayOptions?: string[];
  /**
   * Two processes of each app that may run in any number, as in a scaled deployment; by default one, because each process
   * takes seconds of processor time to start. On the embedded set, two threads that deserialize and two that render responses.
   */
  scaled?: boolean;
}

const SCALED = { deserializers: 2, indexers: 2, apis: 2 };
const SCALED_THREADS = {
  HISTORY_INDEXER__DESERIALIZER_THREADS: String(SCALED.deserializers),
  HISTORY_API__THREADS: String(SCALED.apis),
};

/** Replays a recording into the whole service on either set of adapters; resolves when the last block is committed. */
export async function startIndexedChain(
  set: AdapterSet,
  folder: string,
  { environment = {}, replayOptions = [], scaled = false }: IndexedChainOptions = {},
): Promise<IndexedChain> {
  // The node of a recording sends nothing more after its end.
  const patient = { HISTORY_SHIP__SILENCE_SECONDS: '0', ...environment };
  const counts = scaled ? SCALED : {};
  if (set === 'distributed') return startIndexedSuite(folder, { environment: patient, ...counts }, replayOptions);
  const threads = scaled ? SCALED_THREADS : {};
  const service = await startIndexedService(folder, { ...threads, ...patient }, replayOptions);
  const { url, operationsUrl, pid, stop: end } = service;
  return { url, pids: () => [pid], metric: (name) => sumMetric([{ operationsUrl }], name), stop: end };
}
