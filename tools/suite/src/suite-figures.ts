import { readMetric } from '@antelope-history/quick-start';
import type { AppProcess } from './app-process';

/** How far a suite is, in one look. */
export interface SuiteFigures {
  /** 0 while there is none. */
  committedBlock: number;
  /** Sums over the workers that run now, since each started. */
  readMessages: number;
  deserializedBlocks: number;
  indexedBlocks: number;
  indexedActions: number;
}

const ANSWER_LIMIT_MS = 10_000;

/** Asks the workers. One that does not answer now counts as nothing. */
export async function readSuiteFigures(apps: readonly AppProcess[]): Promise<SuiteFigures> {
  const workers = apps.filter(({ kind }) => kind === 'reader' || kind === 'deserializer' || kind === 'indexer');
  const texts = await Promise.all(workers.map(({ operationsUrl }) => readMetrics(operationsUrl)));
  const values = (name: string): number[] => texts.map((text) => readMetric(text, name));
  const sum = (name: string): number => values(name).reduce((total, value) => total + value, 0);
  return {
    committedBlock: Math.max(...values('history_committed_block')),
    readMessages: sum('history_ship_messages_total'),
    deserializedBlocks: sum('history_deserialize_duration_seconds_count'),
    indexedBlocks: sum('history_indexed_blocks_total'),
    indexedActions: sum('history_indexed_actions_total'),
  };
}

/** Sum of a metric without labels over processes. */
export async function sumMetric(processes: readonly { operationsUrl: string }[], name: string): Promise<number> {
  const texts = await Promise.all(processes.map(({ operationsUrl }) => readMetrics(operationsUrl)));
  return texts.map((text) => readMetric(text, name)).reduce((total, value) => total + value, 0);
}

async function readMetrics(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    return await response.text();
  } catch {
    return '';
  }
}
