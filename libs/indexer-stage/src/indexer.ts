import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type Delivery, type Subscription } from '@antelope-history/broker';
import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import type { KeyValue } from '@antelope-history/key-value';
import type { BlockRecords } from '@antelope-history/records';
import type { HistoryError } from '@antelope-history/schemas';
import type { Config, Logger, Registry } from '@antelope-history/app-runtime';
import type { HistoryWriter } from '@antelope-history/store';
import { BatchWriter, isRefusedAlone } from './batch-writer';
import { createIndexerMetrics } from './indexer-metrics';
import { PendingBlocks } from './pending-blocks';
import { ProgressPublisher } from './progress-publisher';
import { RefetchReporter } from './refetch-reporter';
import { StallReporter } from './stall-reporter';

export interface IndexerDependencies {
  config: { indexer: Omit<Config['indexer'], 'verifyBlocks'> } & Pick<Config, 'chainId'>;
  broker: Broker;
  store: HistoryWriter;
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /**
   * Called when the store rejects writes with a final error, or when it holds another chain than the configured one. Nothing that
   * a node sent leads here.
   */
  fail(error: unknown): void;
}

export interface Indexer {
  /** The code of the error for which the store refuses this indexer alone, until it writes again; see `isRefusedAlone`. */
  refusal(): HistoryError['code'] | undefined;
  stop(): Promise<void>;
}

/** How long a postponed block waits before it joins the next batch. */
const POSTPONE_MS = 200;
/** How long an indexer that is refused alone leaves the queue to the others. Each time that it asks, it holds up to `prefetch` blocks. */
const REFUSED_MIN_MS = 1_000;
const REFUSED_MAX_MS = 30_000;
/** How long a stop waits for the write in progress: a server that does not respond must not delay it further. */
const STOP_LIMIT_MS = 5_000;
/**
 * How often the indexer commits blocks that another writer left uncommitted, and publishes the progress again, because the
 * key-value store may lose it.
 */
const CATCH_UP_EVERY_MS = 1_000;

/**
 * Starts writing blocks of records to the store. Blocks that arrive during a write form the next batch, so batches grow with the
 * load. A delivery is acknowledged when its block is durable.
 */
export async function startIndexer(dependencies: IndexerDependencies): Promise<Indexer> {
  const indexer = new IndexerLoop(dependencies);
  await indexer.start();
  return indexer;
}

class IndexerLoop implements Indexer {
  private readonly pending: PendingBlocks;
  private readonly progress: ProgressPublisher;
  private readonly stalls: StallReporter;
  private readonly writer: BatchWriter;
  /** Aborted by `stop` and by a final error of the store. */
  private readonly stopping = new AbortController();
  private readonly refusals = new Backoff(REFUSED_MIN_MS, REFUSED_MAX_MS);
  private refusedWith: HistoryError['code'] | undefined;
  private subscription: Subscription | undefined;
  private writing: Promise<void> | undefined;
  private batchTimer: NodeJS.Timeout | undefined;
  private catchUpTimer: NodeJS.Timeout | undefined;
  private postponed: Delivery<BlockRecords>[] = [];
  private postponeTimer: NodeJS.Timeout | undefined;

  constructor(private readonly dependencies: IndexerDependencies) {
    const { config, broker, store, keyValue, log, registry } = dependencies;
    const { signal } = this.stopping;
    const metrics = createIndexerMetrics(registry);
    const refetches = new RefetchReporter(broker, log, signal);
    this.pending = new PendingBlocks(config.indexer.batchBytes);
    this.stalls = new StallReporter({ keyValue, log, refetches, stallSeconds: config.indexer.stallSeconds });
    this.progress = new ProgressPublisher({ store, keyValue, log, metrics, stalls: this.stalls, signal });
    this.writer = new BatchWriter({
      store,
      log,
      metrics,
      refetches,
      stalls: this.stalls,
      progress: this.progress,
      postpone: (delivery) => this.postpone(delivery),
      signal,
    });
  }

  async start(): Promise<void> {
    const { config, store } = this.dependencies;
    if (config.chainId !== undefined) await store.setChainId(config.chainId);
    await this.progress.publish();
    this.catchUpTimer = setInterval(() => void this.progress.catchUp(), CATCH_UP_EVERY_MS);
    await this.consume();
  }

  refusal(): HistoryError['code'] | undefined {
    return this.refusedWith;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.batchTimer);
    clearTimeout(this.postponeTimer);
    clearInterval(this.catchUpTimer);
    await this.subscription?.cancel();
    const limit = sleep(STOP_LIMIT_MS, undefined, { ref: false });
    await Promise.race([Promise.all([this.writing, this.progress.idle()]), limit]);
  }

  private async consume(): Promise<void> {
    this.subscription = await this.dependencies.broker.consume(TOPOLOGY.blockRecords, (delivery) => this.add(delivery));
    if (this.stopping.signal.aborted) await this.subscription.cancel();
  }

  private add(delivery: Delivery<BlockRecords>): void {
    this.pending.add(delivery);
    this.scheduleWrite();
  }

  private postpone(delivery: Delivery<BlockRecords>): void {
    this.postponed.push(delivery);
    this.postponeTimer ??= setTimeout(() => {
      this.postponeTimer = undefined;
      for (const held of this.postponed.splice(0)) if (!held.isLost()) this.pending.add(held);
      this.scheduleWrite();
    }, POSTPONE_MS);
  }

  private scheduleWrite(): void {
    if (this.writing || this.pending.isEmpty || this.stopping.signal.aborted) return;
    if (this.pending.isWorthWriting()) this.write();
    else this.batchTimer ??= setTimeout(() => this.write(), this.dependencies.config.indexer.batchSeconds * 1000);
  }

  private write(): void {
    clearTimeout(this.batchTimer);
    this.batchTimer = undefined;
    if (this.writing) return;
    this.writing = this.writeBatch()
      .catch((error: unknown) => this.giveUp(error as HistoryError))
      .finally(() => {
        this.writing = undefined;
        this.scheduleWrite();
      });
  }

  private async writeBatch(): Promise<void> {
    try {
      await this.writer.write(this.pending.takeBatch());
      this.refusals.reset();
      this.refusedWith = undefined;
    } catch (error) {
      if (!isRefusedAlone(error)) throw error;
      await this.leaveToOthers(error);
    }
  }

  /** Returns all blocks to the queue for a while. It is no failure: the next start of the process would have the others refused. */
  private async leaveToOthers(error: HistoryError): Promise<void> {
    const { signal } = this.stopping;
    const waitMs = this.refusals.next();
    const { code, message } = error;
    this.refusedWith = code;
    this.dependencies.log.error({ code, waitSeconds: waitMs / 1000 }, `${message}; the blocks return to the queue`);
    await this.subscription?.cancel();
    this.pending.dropLost();
    await abortableSleep(waitMs, signal);
    if (signal.aborted) return;
    await this.consume().catch((reason: unknown) => {
      // A broker that is closed meanwhile, after the stop, is no failure.
      if (!signal.aborted) throw reason;
    });
  }

  /** Stops writing after a final error of the store, because later blocks could make responses wrong. */
  private giveUp(error: HistoryError): void {
    this.stopping.abort();
    this.dependencies.fail(error);
  }
}
