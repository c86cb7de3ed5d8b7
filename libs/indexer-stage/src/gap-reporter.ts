import type { Delivery } from '@antelope-history/broker';
import type { BlockRecords } from '@antelope-history/records';
import type { HistoryError } from '@antelope-history/schemas';
import type { Logger } from '@antelope-history/app-runtime';
import type { HistoryWriter } from '@antelope-history/store';
import type { ProgressPublisher } from './progress-publisher';
import type { RefetchReporter } from './refetch-reporter';

export interface GapReporterDependencies {
  store: Pick<HistoryWriter, 'getProgress'>;
  log: Logger;
  refetches: RefetchReporter;
  progress: ProgressPublisher;
}

/** A gap is reported once per interval: the blocks that were queued behind it carry no new information. */
const REPORT_EVERY_MS = 5_000;

/** Drops blocks that do not follow the committed head and requests a refetch; the reader sends them again. */
export class GapReporter {
  private reported: { committed: number; lastDropped: number; at: number } | undefined;

  constructor(private readonly dependencies: GapReporterDependencies) {}

  /** Acknowledges the deliveries of a batch that the store refused with `error`. */
  async drop(batch: Delivery<BlockRecords>[], error: HistoryError): Promise<void> {
    const { store, log, refetches, progress } = this.dependencies;
    const committed = (await store.getProgress()).status.committed?.num ?? 0;
    await progress.publish();
    if (!this.isBehindReportedGap(batch, committed)) {
      log.warn({ code: error.code, committed }, error.message);
      await refetches.request(error.code, error.message);
      this.reported = { committed, lastDropped: 0, at: performance.now() };
    }
    if (this.reported) this.reported.lastDropped = numberOf(batch.at(-1));
    for (const delivery of batch) delivery.acknowledge();
  }

  /** Whether the batch was queued behind a reported gap; a lower block number means that the reader has sent it again. */
  private isBehindReportedGap(batch: Delivery<BlockRecords>[], committed: number): boolean {
    return (
      this.reported?.committed === committed &&
      numberOf(batch[0]) > this.reported.lastDropped &&
      performance.now() - this.reported.at < REPORT_EVERY_MS
    );
  }
}

function numberOf(delivery: Delivery<BlockRecords> | undefined): number {
  return delivery?.message.position.num ?? 0;
}
