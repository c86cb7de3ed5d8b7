import type { BlockRecords } from '@antelope-history/records';
import { counter, gauge, histogram, type Registry } from '@antelope-history/service';

export const INDEXED_BLOCKS = 'history_indexed_blocks_total';
export const LAST_COMMIT = 'history_last_commit_timestamp_seconds';

export interface IndexerMetrics {
  committedBlock: { set(blockNum: number): void };
  failures: { inc(): void };
  written(block: BlockRecords): void;
  /** Starts a write's clock; the function given back stops it. */
  writeTimer(): () => void;
}

export function createIndexerMetrics(registry: Registry): IndexerMetrics {
  const blocks = counter(registry, { name: INDEXED_BLOCKS, help: 'Blocks written to the store' });
  const transactions = counter(registry, {
    name: 'history_indexed_transactions_total',
    help: 'Transactions of these blocks that took effect',
  });
  const actions = counter(registry, {
    name: 'history_indexed_actions_total',
    help: 'Actions of these transactions, each once however many accounts received it',
  });
  const durations = histogram(registry, {
    name: 'history_write_duration_seconds',
    help: 'Time of one write to the store',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  });
  const committedBlock = gauge(registry, { name: 'history_committed_block', help: 'Number of the committed head' });
  const lastCommit = gauge(registry, {
    name: LAST_COMMIT,
    help: 'When the committed head moved last, in seconds since 1970; 0 while it has not',
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
    failures: counter(registry, { name: 'history_write_failures_total', help: 'Writes that failed and were repeated' }),
    written(block) {
      blocks.inc();
      transactions.inc(block.transactions.length);
      for (const transaction of block.transactions) actions.inc(transaction.actions.length);
    },
    writeTimer: () => durations.startTimer(),
  };
}
