import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRecording } from '@antelope-history/test-support/recordings';
import { startIndexedService, startReplay, stop } from '@antelope-history/service-process';
import { startSuite, type Suite, type SuiteOptions } from './suite';
import { sumMetric } from './suite-figures';

/** What keeps the chain and carries it between the apps. */
export const ADAPTER_SETS = ['embedded', 'distributed'] as const;
export type AdapterSet = (typeof ADAPTER_SETS)[number];

/** The set that a command line names. Throws when there is no such set. */
export function parseAdapterSet(name: string): AdapterSet {
  const set = ADAPTER_SETS.find((each) => each === name);
  if (set) return set;
  throw new Error(`--set takes ${ADAPTER_SETS.join(' or ')}, not "${name}"`);
}

/** Something that has indexed a whole recording and answers for it. */
export interface IndexedChain {
  /** Of the gateway. */
  url: string;
  /** The processes of the service. */
  pids(): number[];
  /** A metric without labels, or the sum of it over the processes. */
  metric(name: string): Promise<number>;
  /** Ends it and removes what it kept. */
  stop(): Promise<void>;
}

export interface IndexedSuite extends IndexedChain {
  suite: Suite;
}

/**
 * Replays a recording into a suite of its own; resolves when the last block is committed. `replayOptions` are of the
 * replay's command line.
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

/** Of each app that may run in any number two share the work, as where the service is scaled. */
const SCALED = { deserializers: 2, indexers: 2, apis: 2 };

/** Replays a recording into the whole service on either set of adapters; resolves when the last block is committed. */
export async function startIndexedChain(
  set: AdapterSet,
  folder: string,
  environment: Record<string, string> = {},
  replayOptions: string[] = [],
): Promise<IndexedChain> {
  if (set === 'distributed') return startIndexedSuite(folder, { environment, ...SCALED }, replayOptions);
  const { url, operationsUrl, pid, stop: end } = await startIndexedService(folder, environment, replayOptions);
  return { url, pids: () => [pid], metric: (name) => sumMetric([{ operationsUrl }], name), stop: end };
}
