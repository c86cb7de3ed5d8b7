import { createRequire } from 'node:module';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { ElasticsearchDelays, ElasticsearchWriterOptions } from '@antelope-history/store-elasticsearch/writer';

/**
 * Loaded before a program of the distributed set (`node --require`): orphaned blocks are cleaned within seconds. The usual delays
 * follow from how long queries may take, and a seed's chain ends before any of them has passed. All are shorter by about the same
 * factor, so that what holds between them still holds: a state is read for less time than a fork delays the cleaning.
 */
const READABLE_FOR_MS = 700;
export const RETAIN_BLOCKS_VARIABLE = 'HISTORY_STORE__ELASTICSEARCH__RETAIN_BLOCKS';
const isRetaining = Number(process.env[RETAIN_BLOCKS_VARIABLE] ?? 0) > 0;
const DELAYS: ElasticsearchDelays = {
  cleaning: { settleBlocks: 4, cleanBlocks: 2, forkPauseMs: 1_500, startPauseMs: 1_500, sweepEveryMs: 5_000 },
  permissionDelayMs: 1_500,
  idleEveryMs: 500,
  directoryRetryMs: 500,
  tidyEveryMs: 500,
  dropAfterMs: isRetaining ? 8_000 : 120_000,
  directory: { claimMs: 30_000, maxTallySize: 1_000_000 },
  postponeMs: 15_000,
};

const load = createRequire(__filename);

interface WriterModule {
  openElasticsearchStoreWriter(options: ElasticsearchWriterOptions, delays?: ElasticsearchDelays): Promise<unknown>;
}

function shortenCleaning(): void {
  const writer = load('@antelope-history/store-elasticsearch/writer') as WriterModule;
  const open = writer.openElasticsearchStoreWriter;
  writer.openElasticsearchStoreWriter = (options) => open(options, DELAYS);
}

function shortenReadableTime(): void {
  const reader = load.resolve('@antelope-history/store-elasticsearch/reader');
  const progress = load(path.join(path.dirname(reader), 'indices/progress.js')) as { READABLE_FOR_MS?: number };
  if (progress.READABLE_FOR_MS === undefined) throw new Error('READABLE_FOR_MS has moved to another module');
  progress.READABLE_FOR_MS = READABLE_FOR_MS;
}

const program = process.argv[1] ?? '';
if (isMainThread && program.includes('indexer')) shortenCleaning();
if (isMainThread && program.includes('-api')) shortenReadableTime();
