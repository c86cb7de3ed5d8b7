import type { BlockRecords } from '@antelope-history/records';
import type { StoreWriter } from '@antelope-history/store';
import { resultWithin, counter, gauge, histogram, type Registry } from '@antelope-history/app-runtime';

export const INDEXED_BLOCKS = 'history_indexed_blocks_total';
export const LAST_COMMIT = 'history_last_commit_timestamp_seconds';

/** A store that does not respond must not delay a scrape of the metrics; the gauge then has no value. */
const FREE_BYTES_LIMIT_MS = 1_000;

/** Registers a gauge that asks the store at each scrape. */
export function registerFreeBytes(store: Pick<StoreWriter, 'readFreeBytes'>, registry: Registry): void {
  const metric = gauge(registry, {
    name: 'history_store_free_bytes',
    help: 'Free bytes on the disk of the store; of several disks, on the fullest',
    async collect() {
      const free = await resultWithin(store.readFreeBytes(), FREE_BYTES_LIMIT_MS, undefined);
      if (free === undefined) metric.remove();
      else metric.set(free);
    },
  });
}

export interface IndexerMetrics {
  committedBlock: { set(blockNum: number): void };
  failures: { inc(): void };
  written(block: BlockRecords): void;
  /** Starts timing a write; the returned function records its duration. */
  writeTimer(): () => void;
}

export function createIndexerMetrics(registry: Registry): IndexerMetrics {
  const blocks = counter(registry, { name: INDEXED_BLOCKS, help: 'Blocks written to the store' });
  const transactions = counter(registry, {
    name: 'history_indexed_transactions_total',
    help: 'Executed transactions written to the store',
  });
  const actions = counter(registry, {
    name: 'history_indexed_actions_total',
    help: 'Actions written to the store; one per action, not per receiver',
  });
  const durations = histogram(registry, {
    name: 'history_write_duration_seconds',
    help: 'Duration of a write to the store',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  });
  const committedBlock = gauge(registry, { name: 'history_committed_block', help: 'Number of the committed head' });
  const lastCommit = gauge(registry, {
    name: LAST_COMMIT,
    help: 'Unix time of the last change of the committed head, in seconds; 0 before the first',
  });
  let committedNum: number | undefined;
  return {
    committedBlock: {
      set(blockNum) {
        if (committedNum !== undefined && blockNum !== committedNum) lastCommit.setToCurrentTime();
        committedNum = blockNum;
        committedBlock.set(blockNum);
      },
    },
    failures: counter(registry, { name: 'history_write_failures_total', help: 'Failed writes that are retried' }),
    written(block) {
      blocks.inc();
      transactions.inc(block.transactions.length);
      for (const transaction of block.transactions) actions.inc(transaction.actions.length);
    },
    writeTimer: () => durations.startTimer(),
  };
}
