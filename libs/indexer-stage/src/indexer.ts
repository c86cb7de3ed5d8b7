import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type Delivery, type Subscription } from '@antelope-history/broker';
import { writeProgress, type KeyValue } from '@antelope-history/key-value';
import type { BlockRecords } from '@antelope-history/records';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { Config, Logger, Registry } from '@antelope-history/service';
import type { HistoryWriter } from '@antelope-history/store';
import { createIndexerMetrics, type IndexerMetrics } from './indexer-metrics';

export interface IndexerDependencies {
  config: Pick<Config, 'indexer' | 'chainId'>;
  broker: Broker;
  store: HistoryWriter;
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /** Called when going on would make answers wrong. */
  fail(error: unknown): void;
}

export interface Indexer {
  stop(): Promise<void>;
}

const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 30_000;
/** The key-value store may forget: what the other stages start from is told them again and again. */
const SHARE_EVERY_MS = 1_000;
/** A gap is reported once; the blocks already under way behind it say nothing new. */
const GAP_REPORT_EVERY_MS = 5_000;

/**
 * Starts writing blocks of records. Blocks that came while a write was under way are written together in the next,
 * so batches grow with the load; a delivery is acknowledged when its block is durable.
 */
export async function startIndexer(dependencies: IndexerDependencies): Promise<Indexer> {
  const indexer = new IndexerLoop(dependencies);
  await indexer.start();
  return indexer;
}

class IndexerLoop implements Indexer {
  private readonly metrics: IndexerMetrics;
  private subscription: Subscription | undefined;
  private pending: Delivery<BlockRecords>[] = [];
  private pendingBytes = 0;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private readonly stopping = new AbortController();
  private sharing: Promise<void> = Promise.resolve();
  private sharer: NodeJS.Timeout | undefined;
  private gap: { committed: number; lastDropped: number; reportedAt: number } | undefined;

  constructor(private readonly dependencies: IndexerDependencies) {
    this.metrics = createIndexerMetrics(dependencies.registry);
  }

  async start(): Promise<void> {
    const { config, store } = this.dependencies;
    if (config.chainId !== undefined) await store.setChainId(config.chainId);
    await this.shareProgress();
    this.sharer = setInterval(() => void this.shareProgress(), SHARE_EVERY_MS);
    this.subscription = await this.dependencies.broker.consume(TOPOLOGY.blockRecords, (delivery) => this.add(delivery));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.abort();
    clearTimeout(this.timer);
    clearInterval(this.sharer);
    await this.subscription?.cancel();
    await this.writing;
    await this.sharing;
  }

  private add(delivery: Delivery<BlockRecords>): void {
    this.pending.push(delivery);
    this.pendingBytes += TOPOLOGY.blockRecords.sizeOf(delivery.message);
    this.scheduleWrite();
  }

  private scheduleWrite(): void {
    if (this.writing || this.pending.length === 0 || this.stopped) return;
    if (this.isWorthWriting()) this.write();
    else this.timer ??= setTimeout(() => this.write(), this.dependencies.config.indexer.batchSeconds * 1000);
  }

  /** At the head every block is written at once; far behind it, a fuller batch is worth a short wait. */
  private isWorthWriting(): boolean {
    const newest = (this.pending.at(-1) as Delivery<BlockRecords>).message;
    return (
      this.pendingBytes >= this.dependencies.config.indexer.batchBytes ||
      this.pending.length >= TOPOLOGY.blockRecords.prefetch ||
      newest.position.num >= newest.head.num
    );
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.writing) return;
    this.writing = this.writeBatch(this.takeBatch()).finally(() => {
      this.writing = undefined;
      this.scheduleWrite();
    });
  }

  private takeBatch(): Delivery<BlockRecords>[] {
    const batch: Delivery<BlockRecords>[] = [];
    let bytes = 0;
    while (this.pending.length > 0 && bytes < this.dependencies.config.indexer.batchBytes) {
      const delivery = this.pending.shift() as Delivery<BlockRecords>;
      bytes += TOPOLOGY.blockRecords.sizeOf(delivery.message);
      batch.push(delivery);
    }
    this.pendingBytes -= bytes;
    return batch;
  }

  private async writeBatch(batch: Delivery<BlockRecords>[]): Promise<void> {
    for (let waitMs = RETRY_MIN_MS; !this.stopped; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      try {
        await this.commit(batch);
        return;
      } catch (error) {
        if (error instanceof HistoryError && !error.retryable) {
          this.giveUp(error);
          return;
        }
        this.metrics.failures.inc();
        this.dependencies.log.error({ error, waitSeconds: waitMs / 1000 }, 'a write failed; trying again');
        await sleep(waitMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** Writes blocks, and lets go of their deliveries: either they are durable, or the reader is told to go back. */
  private async commit(batch: Delivery<BlockRecords>[]): Promise<void> {
    const blocks = batch.map(({ message }) => message);
    const end = this.metrics.writeTimer();
    try {
      await this.tieToChain(blocks);
      await this.dependencies.store.writeBlocks(blocks);
    } catch (error) {
      if (hasErrorCode(error, 'BLOCK_GAP')) return this.dropAfterGap(batch, error);
      throw error;
    }
    end();
    for (const delivery of batch) {
      this.metrics.committed(delivery.message);
      delivery.acknowledge();
    }
    await this.shareProgress();
  }

  /** Nothing more is written: it would make answers wrong. */
  private giveUp(error: HistoryError): void {
    this.stopped = true;
    this.dependencies.fail(error);
  }

  private async tieToChain(blocks: BlockRecords[]): Promise<void> {
    const chainId = blocks.find((block) => block.chainId !== undefined)?.chainId;
    if (chainId !== undefined) await this.dependencies.store.setChainId(chainId);
  }

  /** One after the other, so that what is older never takes the place of what is newer. */
  private shareProgress(): Promise<void> {
    this.sharing = this.sharing.then(() => this.shareNow());
    return this.sharing;
  }

  /** Without success the other stages wait, and are told when it works again. */
  private async shareNow(): Promise<void> {
    const { store, keyValue, log } = this.dependencies;
    try {
      const { status, positions } = await store.getProgress();
      if (status.committed) this.metrics.committedBlock.set(status.committed.num);
      await writeProgress(keyValue, { chainId: status.chainId, committed: status.committed, positions });
    } catch (error) {
      log.warn({ error }, 'the progress could not be told to the other stages; trying again');
    }
  }

  /** Blocks that do not follow what is committed come again when the reader has gone back. */
  private async dropAfterGap(batch: Delivery<BlockRecords>[], error: HistoryError): Promise<void> {
    const { store, broker, log } = this.dependencies;
    const committed = (await store.getProgress()).status.committed?.num ?? 0;
    await this.shareProgress();
    if (!this.isBehindReportedGap(batch, committed)) {
      log.warn({ code: error.code, committed }, error.message);
      await broker.publish(TOPOLOGY.refetch, { fromBlock: committed + 1, code: error.code, reason: error.message });
      this.gap = { committed, lastDropped: 0, reportedAt: Date.now() };
    }
    if (this.gap) this.gap.lastDropped = numberOf(batch.at(-1));
    for (const delivery of batch) delivery.acknowledge();
  }

  /** Blocks that were under way when the gap was reported say nothing new; those that come again do. */
  private isBehindReportedGap(batch: Delivery<BlockRecords>[], committed: number): boolean {
    return (
      this.gap?.committed === committed &&
      numberOf(batch[0]) > this.gap.lastDropped &&
      Date.now() - this.gap.reportedAt < GAP_REPORT_EVERY_MS
    );
  }
}

function numberOf(delivery: Delivery<BlockRecords> | undefined): number {
  return delivery?.message.position.num ?? 0;
}
