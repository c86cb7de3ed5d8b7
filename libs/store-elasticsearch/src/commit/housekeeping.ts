import { hasErrorCode } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import { isFarBehind } from '../write/far-behind';
import type { IndexProvisioner } from '../write/index-provisioner';
import type { Commit } from './committer';
import type { Journal } from './journal';
import type { PermissionCleaner } from './permission-cleaner';

export interface HousekeepingDelays {
  /** How often what is no longer needed of the journal and the permissions is deleted. */
  tidyEveryMs: number;
  /** So long after blocks are no longer kept their indices are deleted; undefined when all are kept. */
  dropAfterMs: number | undefined;
}

/** What is to be done after a commit, beside it: nothing depends on when, and what fails is done after the next. */
export class Housekeeping {
  private running: Promise<void> | undefined;
  private newest: Commit | undefined;
  /** Of the last time, when trying again will not help: the next commit tells it. */
  private failure: { error: unknown } | undefined;
  private tidiedAt = -Infinity;
  private givenUp: { below: number; since: number } | undefined;

  constructor(
    private readonly parts: { journal: Journal; permissions: PermissionCleaner; indices: IndexProvisioner },
    private readonly delays: HousekeepingDelays,
  ) {}

  /** Begins what a commit asks for, or does it after what is under way. Throws what somebody has to change. */
  after(commit: Commit): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
    this.newest = commit;
    this.running ??= this.runNewest().finally(() => (this.running = undefined));
  }

  async idle(): Promise<void> {
    await Promise.allSettled([this.running]);
  }

  private async runNewest(): Promise<void> {
    try {
      while (this.newest) {
        const commit = this.newest;
        this.newest = undefined;
        await this.run(commit);
      }
    } catch (error) {
      if (!hasErrorCode(error, 'STORE_UNAVAILABLE')) this.failure = { error };
    }
  }

  private async run({ before, after }: Commit): Promise<void> {
    const { journal, permissions, indices } = this.parts;
    if (performance.now() - this.tidiedAt >= this.delays.tidyEveryMs) {
      await journal.removeUpTo(after.view);
      await permissions.clean(before.clean_up_to);
      this.tidiedAt = performance.now();
    }
    const { committed: position, head } = after;
    if (position && head) await indices.settleReplicas(after, isFarBehind({ position, head }));
    await this.dropRanges(after);
  }

  private async dropRanges({ first_block_num: first, blocks_per_index: perIndex }: ProgressDocument): Promise<void> {
    const { dropAfterMs } = this.delays;
    if (first === undefined || dropAfterMs === undefined) return;
    if (this.givenUp?.below !== first) this.givenUp = { below: first, since: performance.now() };
    if (performance.now() - this.givenUp.since < dropAfterMs) return;
    await this.parts.indices.dropBelow(first, perIndex);
  }
}
