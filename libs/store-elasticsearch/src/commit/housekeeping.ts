import { hasErrorCode } from '@antelope-history/schemas';
import { isObsolete } from '../indices/directory';
import type { ProgressDocument } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';
import { isFarBehind } from '../write/far-behind';
import type { IndexProvisioner } from '../write/index-provisioner';
import type { BranchCleaner } from './branch-cleaner';
import type { Commit } from './committer';
import type { DirectoryBuilder } from './directory-builder';
import type { Journal } from './journal';
import type { PermissionCleaner } from './permission-cleaner';

export interface HousekeepingDelays {
  /** How often obsolete journal entries and permission versions are deleted. */
  tidyEveryMs: number;
  /** The delay from dropping blocks out of the history to deleting their indices; undefined when all blocks are kept. */
  dropAfterMs: number | undefined;
  /** The delay from superseding indices of the directory to deleting them. */
  dropDirectoryAfterMs: number;
}

/** The work after a commit that nothing waits for; a failed run is repeated after the next commit. */
export class Housekeeping {
  private running: Promise<void> | undefined;
  private newest: Commit | undefined;
  /** The failure of the last run, if a retry cannot help; the next commit throws it. */
  private failure: { error: unknown } | undefined;
  private tidiedAt = -Infinity;
  private dropped: { below: number; since: number } | undefined;
  private building: Promise<void> | undefined;
  private superseded: { by: string; since: number } | undefined;

  constructor(
    private readonly parts: {
      journal: Journal;
      cleaner: BranchCleaner;
      permissions: PermissionCleaner;
      indices: IndexProvisioner;
      directory: DirectoryBuilder;
      names: IndexNames;
    },
    private readonly delays: HousekeepingDelays,
  ) {}

  /** Starts the work after a commit, or queues it behind a running one. Throws the failure of the last run. */
  after(commit: Commit): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
    this.newest = commit;
    this.running ??= this.runNewest().finally(() => (this.running = undefined));
  }

  async idle(): Promise<void> {
    await Promise.allSettled([this.running, this.building]);
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
    const { journal, cleaner, permissions, indices } = this.parts;
    await cleaner.clean();
    await cleaner.sweep();
    if (performance.now() - this.tidiedAt >= this.delays.tidyEveryMs) {
      await journal.removeUpTo(after.view);
      await permissions.clean(before.clean_up_to);
      this.tidiedAt = performance.now();
    }
    const { committed: position, head } = after;
    if (position && head) await indices.settleReplicas(after, isFarBehind({ position, head }));
    await indices.settleTiers(after);
    await this.dropRanges(after);
    await this.dropDirectories(after);
    // Adding a range takes long: commits and cleaning go on meanwhile.
    this.building ??= this.buildDirectory().finally(() => (this.building = undefined));
  }

  /** What a failed attempt has written of a range is written again after another commit. */
  private async buildDirectory(): Promise<void> {
    try {
      while (await this.parts.directory.addNext());
    } catch (error) {
      if (!hasErrorCode(error, 'STORE_UNAVAILABLE')) this.failure = { error };
    }
  }

  /** Queries that began before a directory was superseded have ended when it is deleted. */
  private async dropDirectories(progress: ProgressDocument): Promise<void> {
    const { rewrites = 0, first_block_num: first = 0 } = progress;
    const by = `${rewrites} ${first}`;
    if (this.superseded?.by !== by) this.superseded = { by, since: performance.now() };
    if (performance.now() - this.superseded.since < this.delays.dropDirectoryAfterMs) return;
    const { indices, names } = this.parts;
    await indices.dropDirectories((index) => isObsolete(names, index, progress));
    this.superseded.since = Infinity;
  }

  private async dropRanges(progress: ProgressDocument): Promise<void> {
    const { first_block_num: first } = progress;
    const { dropAfterMs } = this.delays;
    if (first === undefined || dropAfterMs === undefined) return;
    if (this.dropped?.below !== first) this.dropped = { below: first, since: performance.now() };
    if (performance.now() - this.dropped.since < dropAfterMs) return;
    await this.parts.indices.dropBelow(first, progress);
  }
}
