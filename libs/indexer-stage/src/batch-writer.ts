import type { Delivery } from '@antelope-history/broker';
import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import type { BlockRecords } from '@antelope-history/records';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { Logger } from '@antelope-history/app-runtime';
import type { HistoryWriter } from '@antelope-history/store';
import { GapReporter } from './gap-reporter';
import type { IndexerMetrics } from './indexer-metrics';
import type { ProgressPublisher } from './progress-publisher';
import type { RefetchReporter } from './refetch-reporter';
import type { StallReporter } from './stall-reporter';

export interface BatchWriterDependencies {
  store: HistoryWriter;
  log: Logger;
  metrics: IndexerMetrics;
  refetches: RefetchReporter;
  stalls: StallReporter;
  progress: ProgressPublisher;
  /** Puts a block into a later batch, because the store can write it only after other blocks. */
  postpone(delivery: Delivery<BlockRecords>): void;
  /** Ends the retries of a write. */
  signal: AbortSignal;
}

/** A block with one of these errors is dropped and read again from the node. */
const REREAD_CODES = ['BLOCK_GAP', 'FORK_TOO_DEEP', 'ABI_OUTDATED'] as const;
/** With one of these errors the store refuses this indexer only. */
const REFUSED_ALONE_CODES = ['DATA_FIELDS_DIFFER'] as const;
const RETRY_MIN_MS = 200;
/**
 * The longest wait between two attempts. After the store has recovered, the committed head stands still until the wait is over.
 */
const RETRY_MAX_MS = 5_000;

/** Writes batches of blocks to the store and settles their deliveries. */
export class BatchWriter {
  private readonly gaps: GapReporter;
  private chainId: string | undefined;

  constructor(private readonly dependencies: BatchWriterDependencies) {
    this.gaps = new GapReporter(dependencies);
  }

  /**
   * Writes a batch and repeats a failed write until it succeeds or `signal` is aborted. Each block is then durable, rejected,
   * postponed, dropped after a refetch request, or delivered again. Rejects with a final error of the store, and with one of
   * `isRefusedAlone`.
   */
  async write(batch: Delivery<BlockRecords>[]): Promise<void> {
    const { log, metrics, signal } = this.dependencies;
    const backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);
    for (let rest = batch; rest.length > 0 && !signal.aborted; rest = rest.filter((delivery) => !delivery.isLost())) {
      try {
        await this.commit(rest);
        return;
      } catch (error) {
        if (error instanceof HistoryError && !error.retryable) throw error;
        metrics.failures.inc();
        if (isRefusedAlone(error)) throw error;
        const waitMs = backoff.next();
        const { message } = error as Error;
        log.error({ error, waitSeconds: waitMs / 1000 }, `a write failed: ${message}; trying again`);
        await abortableSleep(waitMs, signal);
      }
    }
  }

  private async commit(batch: Delivery<BlockRecords>[]): Promise<void> {
    const { store, metrics, stalls, progress, postpone } = this.dependencies;
    const blocks = batch.map(({ message }) => message);
    const postponed = new Set<BlockRecords>();
    const stopTimer = metrics.writeTimer();
    try {
      await this.bindToChain(blocks);
      await store.writeBlocks(blocks, (block) => postponed.add(block));
    } catch (error) {
      // Blocks are missing, the node contradicts an irreversible block, or data was decoded with an outdated ABI. The batch is
      // dropped and read again; stored blocks stay and are served.
      const needsReread = REREAD_CODES.some((code) => hasErrorCode(error, code));
      if (needsReread) return this.gaps.drop(batch, error as HistoryError);
      if (hasErrorCode(error, 'BLOCK_REFUSED') || hasErrorCode(error, 'CHAIN_ID_MISMATCH')) {
        return this.refuse(batch, error);
      }
      throw error;
    }
    stopTimer();
    stalls.written();
    for (const delivery of batch) {
      if (postponed.has(delivery.message)) {
        postpone(delivery);
        continue;
      }
      metrics.written(delivery.message);
      delivery.acknowledge();
    }
    await progress.publish();
  }

  /** Finds the refused block of a batch, rejects its delivery and requests a refetch; the other blocks are written. */
  private async refuse(batch: Delivery<BlockRecords>[], reason: HistoryError): Promise<void> {
    const [delivery, ...others] = batch;
    if (!delivery) return;
    if (others.length > 0) {
      for (const each of batch) await this.commit([each]);
      return;
    }
    const { log, refetches } = this.dependencies;
    log.error({ code: reason.code, blockNum: delivery.message.position.num, error: reason }, reason.message);
    await refetches.request(reason.code, reason.message);
    delivery.reject(reason);
  }

  /** Ties the store to the chain of its first block; the store rejects blocks of another chain. */
  private async bindToChain(blocks: BlockRecords[]): Promise<void> {
    for (const { chainId } of blocks) {
      if (chainId === undefined || chainId === this.chainId) continue;
      await this.dependencies.store.setChainId(chainId);
      this.chainId = chainId;
    }
  }
}

/** Whether other indexers may write the blocks that the store refuses from this one: they have to get them. */
export function isRefusedAlone(error: unknown): error is HistoryError {
  return REFUSED_ALONE_CODES.some((code) => hasErrorCode(error, code));
}
