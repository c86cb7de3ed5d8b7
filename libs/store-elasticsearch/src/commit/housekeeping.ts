import { hasErrorCode } from '@antelope-history/schemas';
import { isObsolete } from '../indices/directory';
import type { ProgressDocument } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';
import { isFarBehind } from '../write/far-behind';
import type { IndexProvisioner } from '../write/index-provisioner';
import { AgedValue } from './aged-value';
import type { BranchCleaner } from './branch-cleaner';
import type { Commit } from './committer';
import type { DirectoryBuilder } from './directory-builder';
import type { Journal } from './journal';
import type { PermissionCleaner } from './permission-cleaner';

export interface HousekeepingDelays {
  /** How often the work is done again while nothing is committed. */
  idleEveryMs: number;
  /** How often obsolete journal entries and permission versions are deleted. */
  tidyEveryMs: number;
  /** The delay from dropping blocks out of the history to deleting their indices; undefined when all blocks are kept. */
  dropAfterMs: number | undefined;
  /** For this time nothing is added to the directory after a failure that a retry cannot help: reading a range takes long. */
  directoryRetryMs: number;
  /** The delay from superseding indices of the directory to deleting them. */
  dropDirectoryAfterMs: number;
}

/**
 * The work after a commit that nothing waits for. What failed, and what has to wait for some time, is done after the next commit, or
 * while nothing is committed: the chain may have stopped.
 */
export class Housekeeping {
  private running: Promise<void> | undefined;
  private newest: Commit | undefined;
  /** The failure of the last run, if a retry cannot help; the next commit throws it. */
  private failure: { error: unknown } | undefined;
  private tidiedAt = -Infinity;
  /** The stream position of the last idle call's progress, and when it was first seen or last worked on. */
  private unchanged: { ordinal: number; since: number } | undefined;
  private building: Promise<void> | undefined;
  /** Why a range is not added to the directory, if a retry cannot help. Commits go on without it; `maintain` throws it. */
  private directoryFailure: { error: unknown } | undefined;
  private buildAt = -Infinity;
  private ages: Ages;
  /** The store, the build and the first block by which obsolete indices of the directory were deleted last. */
  private droppedDirectories = '';

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
  ) {
    this.ages = agesOf(undefined, delays);
  }

  /** Starts the work after a commit, or queues it behind a running one. Throws the failure of the last run. */
  after(commit: Commit): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
    this.newest = commit;
    this.running ??= this.runNewest().finally(() => (this.running = undefined));
  }

  /**
   * Does the work again when no process has committed anything for `idleEveryMs`. Throws as `after`, and the failure of a range that
   * could not be added to the directory.
   */
  maintain(progress: ProgressDocument): void {
    const { directoryFailure } = this;
    this.directoryFailure = undefined;
    if (directoryFailure) throw directoryFailure.error;
    const { ordinal } = progress.view;
    const now = performance.now();
    const { since } = this.unchanged?.ordinal === ordinal ? this.unchanged : (this.unchanged = { ordinal, since: now });
    if (now - since < this.delays.idleEveryMs) return;
    this.unchanged = { ordinal, since: now };
    this.after({ before: progress, after: progress });
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
    // What was known of a store whose indices were deleted does not apply to the store that was made in its place.
    if (after.store_id !== this.ages.storeId) {
      this.ages = agesOf(after.store_id, this.delays);
      indices.forgetSettings();
    }
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
    if (performance.now() >= this.buildAt)
      this.building ??= this.buildDirectory().finally(() => (this.building = undefined));
  }

  /** What a failed attempt has written of a range is written again by the next one. */
  private async buildDirectory(): Promise<void> {
    try {
      while (await this.parts.directory.addNext());
    } catch (error) {
      if (hasErrorCode(error, 'STORE_UNAVAILABLE')) return;
      this.directoryFailure = { error };
      this.buildAt = performance.now() + this.delays.directoryRetryMs;
    }
  }

  /** Queries that began before a directory was superseded have ended when it is deleted. */
  private async dropDirectories(progress: ProgressDocument): Promise<void> {
    const { storeId, ofDirectory } = this.ages;
    const first = ofDirectory.firstBlock.note(progress.first_block_num ?? 0) ?? 0;
    const build = ofDirectory.rewrites.note(progress.rewrites ?? 0) ?? 0;
    const current = `${storeId} ${build} ${first}`;
    if (current === this.droppedDirectories) return;
    const { indices, names } = this.parts;
    const then = { ...progress, rewrites: build, first_block_num: first };
    await indices.dropDirectories((index) => isObsolete(names, index, then));
    this.droppedDirectories = current;
  }

  private async dropRanges(progress: ProgressDocument): Promise<void> {
    const first = this.ages.firstBlock.note(progress.first_block_num ?? 0);
    if (first !== undefined) await this.parts.indices.dropBelow(first, progress);
  }
}

/** The first block of the history and the build of the directory, as aged values: every query that began before them has ended. */
interface Ages {
  /** The store that the values are of. */
  storeId: string | undefined;
  firstBlock: AgedValue;
  ofDirectory: { firstBlock: AgedValue; rewrites: AgedValue };
}

function agesOf(
  storeId: string | undefined,
  { dropAfterMs = Infinity, dropDirectoryAfterMs }: HousekeepingDelays,
): Ages {
  const aged = (): AgedValue => new AgedValue(dropDirectoryAfterMs);
  return { storeId, firstBlock: new AgedValue(dropAfterMs), ofDirectory: { firstBlock: aged(), rewrites: aged() } };
}
