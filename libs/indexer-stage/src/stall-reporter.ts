import type { KeyValue } from '@antelope-history/key-value';
import type { Logger } from '@antelope-history/app-runtime';
import type { RefetchReporter } from './refetch-reporter';
import { StallWatch } from './stall-watch';

export interface StallReporterDependencies {
  keyValue: KeyValue;
  log: Logger;
  refetches: RefetchReporter;
  stallSeconds: number;
}

/** Requests a refetch when blocks are written but the committed head does not move. */
export class StallReporter {
  private readonly watch: StallWatch;
  private committed: number | undefined;

  constructor(private readonly dependencies: StallReporterDependencies) {
    this.watch = new StallWatch(dependencies.stallSeconds * 1000);
  }

  /** A batch was written. */
  written(): void {
    this.watch.written(performance.now());
  }

  /** The committed head was read. */
  observe(committed: number | undefined): void {
    this.committed = committed;
    this.watch.observe(committed);
  }

  /** Of several indexers that see the same stall, the first to count it requests the refetch. */
  async reportStall(): Promise<void> {
    if (!this.watch.isStalled(performance.now())) return;
    const { keyValue, log, refetches, stallSeconds } = this.dependencies;
    const committed = this.committed ?? 0;
    const stallMs = stallSeconds * 1000;
    // The counter expires before the same indexer can see the next stall, so that each stall is reported.
    const reports = await keyValue.count(`stall:${committed}`, stallMs / 2).catch(() => 1);
    if (reports > 1) return;
    const reason = `blocks are written, but the committed head has been ${committed} for ${stallSeconds} seconds`;
    log.warn({ code: 'BLOCK_GAP', committed }, reason);
    await refetches.tryRequest('BLOCK_GAP', reason);
  }
}
