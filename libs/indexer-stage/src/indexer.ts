import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type Delivery, type RefetchRequest, type Subscription } from '@antelope-history/broker';
import { writeProgress, type KeyValue } from '@antelope-history/key-value';
import type { BlockRecords } from '@antelope-history/records';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { Config, Logger, Registry } from '@antelope-history/service';
import type { HistoryWriter } from '@antelope-history/store';
import { createIndexerMetrics, type IndexerMetrics } from './indexer-metrics';
import { StallWatch } from './stall-watch';

export interface IndexerDependencies {
  config: Pick<Config, 'indexer' | 'chainId'>;
  broker: Broker;
  store: HistoryWriter;
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /** Called when the store refuses for good, or holds another chain than the configured one. Nothing that a node sent does it. */
  fail(error: unknown): void;
}

export interface Indexer {
  stop(): Promise<void>;
}

/** How long a stop waits for the write under way: a server that does not answer must not hold it up. */
const STOP_LIMIT_MS = 5_000;
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 30_000;
/**
 * What another writer left uncommitted is committed, and where the store stands is told again, as the key-value store may
 * forget it.
 */
const CATCH_UP_EVERY_MS = 1_000;
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
  private catchingUp: NodeJS.Timeout | undefined;
  private readonly stalls: StallWatch;
  private chainId: string | undefined;
  private committedNum: number | undefined;
  private gap: { committed: number; lastDropped: number; reportedAt: number } | undefined;

  constructor(private readonly dependencies: IndexerDependencies) {
    this.metrics = createIndexerMetrics(dependencies.registry);
    this.stalls = new StallWatch(dependencies.config.indexer.stallSeconds * 1000);
  }

  async start(): Promise<void> {
    const { config, store } = this.dependencies;
    if (config.chainId !== undefined) await store.setChainId(config.chainId);
    await this.shareProgress();
    this.catchingUp = setInterval(() => void this.catchUp(), CATCH_UP_EVERY_MS);
    this.subscription = await this.dependencies.broker.consume(TOPOLOGY.blockRecords, (delivery) => this.add(delivery));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.abort();
    clearTimeout(this.timer);
    clearInterval(this.catchingUp);
    await this.subscription?.cancel();
    const limit = sleep(STOP_LIMIT_MS, undefined, { ref: false });
    await Promise.race([Promise.all([this.writing, this.sharing]), limit]);
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
      // A node contradicts what is irreversible, or another sends other blocks: what is stored stays, and is served on.
      if (hasErrorCode(error, 'BLOCK_GAP') || hasErrorCode(error, 'FORK_TOO_DEEP')) {
        return this.dropAfterGap(batch, error);
      }
      if (hasErrorCode(error, 'BLOCK_REFUSED') || hasErrorCode(error, 'CHAIN_ID_MISMATCH')) {
        return this.refuse(batch, error);
      }
      throw error;
    }
    end();
    this.stalls.written(Date.now());
    for (const delivery of batch) {
      this.metrics.written(delivery.message);
      delivery.acknowledge();
    }
    await this.shareProgress();
  }

  /** Finds the block that the store refuses, keeps it with the reason, and has it read again; the others are written. */
  private async refuse(batch: Delivery<BlockRecords>[], reason: HistoryError): Promise<void> {
    if (batch.length > 1) {
      for (const delivery of batch) await this.commit([delivery]);
      return;
    }
    const { log, broker } = this.dependencies;
    log.error({ code: reason.code, blockNum: numberOf(batch[0]), error: reason }, reason.message);
    const request = { fromBlock: numberOf(batch[0]), code: reason.code, reason: reason.message };
    await broker.publish(TOPOLOGY.refetch, request);
    batch[0]?.reject(reason);
  }

  /** Nothing more is written: it would make answers wrong. */
  private giveUp(error: HistoryError): void {
    this.stopped = true;
    this.dependencies.fail(error);
  }

  private async tieToChain(blocks: BlockRecords[]): Promise<void> {
    for (const { chainId } of blocks) {
      if (chainId === undefined || chainId === this.chainId) continue;
      await this.dependencies.store.setChainId(chainId);
      this.chainId = chainId;
    }
  }

  /** One after the other, so that what is older never takes the place of what is newer. */
  private shareProgress(): Promise<void> {
    return this.inTurn(() => this.shareNow());
  }

  private catchUp(): Promise<void> {
    return this.inTurn(async () => {
      if (this.stopped) return;
      await this.commitWritten();
      await this.shareNow();
      await this.watchForStall();
    });
  }

  private inTurn(task: () => Promise<void>): Promise<void> {
    this.sharing = this.sharing.then(task);
    return this.sharing;
  }

  /** A write that meets the same trouble says so; here it is only tried. */
  private async commitWritten(): Promise<void> {
    try {
      await this.dependencies.store.commitWritten();
    } catch (error) {
      this.dependencies.log.debug({ error }, 'what other writers left could not be committed');
    }
  }

  /** Of several indexers one has the chain read again. */
  private async watchForStall(): Promise<void> {
    if (!this.stalls.isStalled(Date.now())) return;
    const { config, keyValue, log } = this.dependencies;
    const committed = this.committedNum ?? 0;
    const { stallSeconds } = config.indexer;
    const told = await keyValue.count(`stall:${committed}`, stallSeconds * 500).catch(() => 1);
    if (told > 1) return;
    const reason = `blocks come, but the committed head stands at ${committed} for ${stallSeconds} seconds`;
    log.warn({ code: 'BLOCK_GAP', committed }, reason);
    await this.refetch({ fromBlock: committed + 1, code: 'BLOCK_GAP', reason });
  }

  /** A broker that is away now has lost nothing: the next alarm asks again. */
  private async refetch(request: RefetchRequest): Promise<void> {
    const { broker, log } = this.dependencies;
    await broker.publish(TOPOLOGY.refetch, request).catch((error: unknown) => {
      if (!this.stopped) log.warn({ error }, 'the reader could not be asked to read again');
    });
  }

  /** Without success the other stages wait, and are told when it works again. */
  private async shareNow(): Promise<void> {
    const { store, keyValue, log } = this.dependencies;
    try {
      const { status, positions, ordinal } = await store.getProgress();
      this.committedNum = status.committed?.num;
      this.stalls.sees(this.committedNum);
      if (status.committed) this.metrics.committedBlock.set(status.committed.num);
      await writeProgress(keyValue, { chainId: status.chainId, committed: status.committed, positions, ordinal });
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
