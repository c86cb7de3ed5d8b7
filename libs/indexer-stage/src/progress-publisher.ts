import { writeProgress, type KeyValue } from '@antelope-history/key-value';
import type { Logger } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import type { HistoryWriter } from '@antelope-history/store';
import type { IndexerMetrics } from './indexer-metrics';
import type { StallReporter } from './stall-reporter';

export interface ProgressPublisherDependencies {
  store: Pick<HistoryWriter, 'getProgress' | 'maintain'>;
  keyValue: KeyValue;
  log: Logger;
  metrics: IndexerMetrics;
  stalls: StallReporter;
  /** Ends the periodic work. */
  signal: AbortSignal;
}

/** Publishes the store's progress to the other stages, one publication at a time, so that none overwrites a newer one. */
export class ProgressPublisher {
  private tail: Promise<void> = Promise.resolve();
  private catchingUp: Promise<void> | undefined;
  /** The message of the last failure to maintain the store that a retry cannot help; undefined after a success. */
  private reported: string | undefined;

  constructor(private readonly dependencies: ProgressPublisherDependencies) {}

  /** Publishes the store's progress. Never rejects: without success the other stages wait for the next publication. */
  publish(): Promise<void> {
    return this.inTurn(() => this.publishNow());
  }

  /**
   * Maintains the store, publishes the progress, and reports a stall. Never rejects. A call during
   * another one does nothing more: while the store hangs, calls must not queue up before the publication that a write waits for.
   */
  catchUp(): Promise<void> {
    this.catchingUp ??= this.inTurn(async () => {
      if (this.dependencies.signal.aborted) return;
      await this.maintainStore();
      await this.publishNow();
      await this.dependencies.stalls.reportStall();
    }).finally(() => (this.catchingUp = undefined));
    return this.catchingUp;
  }

  /** Resolves when nothing is being published. */
  idle(): Promise<void> {
    return this.tail;
  }

  private inTurn(task: () => Promise<void>): Promise<void> {
    this.tail = this.tail.then(task);
    return this.tail;
  }

  /**
   * Logs a failure that a retry can help at debug level only: the next write meets the same error and reports it. Of others no write
   * may know, as of stored blocks that do not decode.
   */
  private async maintainStore(): Promise<void> {
    const { store, log } = this.dependencies;
    try {
      await store.maintain();
      this.reported = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof HistoryError && error.retryable) {
        log.debug({ error }, 'the store could not be maintained: blocks of other writers, repairs and old blocks wait');
      } else if (message !== this.reported) {
        this.reported = message;
        log.warn({ error }, `the store could not be maintained: ${message}`);
      }
    }
  }

  private async publishNow(): Promise<void> {
    const { store, keyValue, log, metrics, stalls } = this.dependencies;
    try {
      const { status, positions, sequence } = await store.getProgress();
      const { chainId, committed, lastIrreversible } = status;
      stalls.observe(committed?.num);
      if (committed) metrics.committedBlock.set(committed.num);
      await writeProgress(keyValue, { chainId, committed, lastIrreversible, positions, sequence });
    } catch (error) {
      log.warn({ error }, 'the progress could not be published to the other stages; trying again');
    }
  }
}
