import { readMetric } from '../service-client';
import type { SupervisedApp } from './supervised-app';

/** Progress of a suite, read at one moment. */
export interface SuiteProgress {
  /** Number of the committed block; 0 before the first commit. */
  committedBlock: number;
  /** Sums over the workers that run now, since the start of each. */
  readMessages: number;
  deserializedBlocks: number;
  indexedBlocks: number;
  indexedActions: number;
  /** Forks that the node sent. */
  forks: number;
}

const RESPONSE_LIMIT_MS = 10_000;

/** Reads the workers' metrics. A worker that does not respond counts as 0. */
export async function readSuiteProgress(apps: readonly SupervisedApp[]): Promise<SuiteProgress> {
  const workers = apps.filter(({ app }) => app === 'reader' || app === 'deserializer' || app === 'indexer');
  const texts = await Promise.all(workers.map(({ operationsUrl }) => readMetrics(operationsUrl)));
  const values = (name: string): number[] => texts.map((text) => readMetric(text, name));
  const sum = (name: string): number => values(name).reduce((total, value) => total + value, 0);
  return {
    committedBlock: Math.max(...values('history_committed_block')),
    readMessages: sum('history_ship_messages_total'),
    deserializedBlocks: sum('history_deserialize_duration_seconds_count'),
    indexedBlocks: sum('history_indexed_blocks_total'),
    indexedActions: sum('history_indexed_actions_total'),
    forks: sum('history_forks_total'),
  };
}

/** Sum of a metric without labels over processes. */
export async function sumMetric(processes: readonly { operationsUrl: string }[], name: string): Promise<number> {
  const texts = await Promise.all(processes.map(({ operationsUrl }) => readMetrics(operationsUrl)));
  return texts.map((text) => readMetric(text, name)).reduce((total, value) => total + value, 0);
}

async function readMetrics(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(RESPONSE_LIMIT_MS) });
    return await response.text();
  } catch {
    return '';
  }
}
