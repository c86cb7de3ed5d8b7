import type { BlockPosition } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import { isFarBehind } from '../write/far-behind';
import type { WriteFence } from '../write/write-fence';
import type { BranchDocuments } from './branch-documents';
import type { ProgressStore } from './progress-store';

export interface CleaningRules {
  /**
   * While following the head, blocks this far below it are cleaned: queries that read them as part of a fork have ended. Each query
   * names the blocks above, so that more of them cost every query time.
   */
  settleBlocks: number;
  /** The fewest blocks that are worth a write term. */
  cleanBlocks: number;
  /** For this time after a fork nothing above it is cleaned: queries in progress still read the branch that was undone. */
  forkPauseMs: number;
  /** A process that follows the head cleans nothing for this time after it first could: it has not seen the forks before. */
  startPauseMs: number;
  /** How often recently cleaned blocks are searched again for documents that no writer should have been able to add. */
  sweepEveryMs: number;
}

/** Each conflict means that a commit has changed the progress. */
const MAX_TRIES = 50;
/** The number of recently cleaned blocks that a sweep searches: more than half an hour of a chain. */
const SWEPT_BLOCKS = 5_000;

/**
 * Moves `clean_up_to`: deletes the documents of orphaned blocks below the newest irreversible ones, so that queries select the
 * branch there by block number alone. A write term begins before, so that nothing can be added to what was cleaned.
 */
export class BranchCleaner {
  private running: Promise<void> | undefined;
  /** The store that the next three are of. */
  private storeId: string | undefined;
  private seen: Pick<ProgressDocument, 'revision' | 'branch'> | undefined;
  /** When `seen` was set first. */
  private seenSince = Infinity;
  /** The forks of the last `forkPauseMs`: the first number that each undid. */
  private forks: { num: number; at: number }[] = [];
  /** The newest blocks that this process has cleaned, ascending without a gap. */
  private cleaned: BlockPosition[] = [];
  private sweptAt = -Infinity;

  constructor(
    private readonly parts: { progress: ProgressStore; documents: BranchDocuments; fence: WriteFence },
    private readonly rules: CleaningRules,
  ) {}

  /** Cleans what can be cleaned now. Any number of processes may do so at once. */
  clean(): Promise<void> {
    this.running ??= this.cleanNext().finally(() => (this.running = undefined));
    return this.running;
  }

  /** Deletes, from the blocks that this process has cleaned last, what is not on the branch; at intervals. */
  async sweep(): Promise<void> {
    if (performance.now() - this.sweptAt < this.rules.sweepEveryMs) return;
    const read = await this.parts.progress.read();
    if (!read) return;
    this.forgetOtherStore(read.progress);
    const { first_block_num: oldest = 0 } = read.progress;
    const blocks = this.cleaned.filter(({ num }) => num >= oldest);
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (!first || !last) return;
    await this.parts.documents.removeStrays(first.num - 1, last.num, blocks, read.progress);
    this.sweptAt = performance.now();
  }

  private async cleanNext(): Promise<void> {
    const { progress, documents, fence } = this.parts;
    const read = await progress.read();
    if (!read) return;
    this.forgetOtherStore(read.progress);
    const { clean_up_to: from, write_term: term = 0, branch } = read.progress;
    const upTo = this.cleanableUpTo(read.progress);
    if (upTo - from < this.rules.cleanBlocks) return;
    // All writers that can write after the term has begun know that the blocks up to `upTo` are irreversible.
    if (!(await progress.replace(read, { ...read.progress, write_term: term + 1 }))) return;
    if (!(await fence.begin(term + 1))) return;
    const cleaned = branch.filter(({ num }) => num > from && num <= upTo);
    await documents.removeStrays(from, upTo, cleaned, read.progress);
    await this.record(upTo);
    this.remember(cleaned);
  }

  /** The blocks of a store whose indices were deleted may not be on the chain of the store that was made in its place. */
  private forgetOtherStore({ store_id: storeId }: ProgressDocument): void {
    if (storeId === this.storeId) return;
    this.storeId = storeId;
    this.seen = undefined;
    this.forks = [];
    this.cleaned = [];
  }

  private cleanableUpTo(progress: ProgressDocument): number {
    const { committed: position, head, last_irreversible: irreversible } = progress;
    this.observeForks(progress);
    if (!position || !head || !irreversible) return 0;
    if (!isFarBehind({ position, head }) && performance.now() - this.seenSince < this.rules.startPauseMs) return 0;
    const upTo = settledUpTo({ position, head, irreversible }, this.rules);
    return Math.min(upTo, ...this.forks.map(({ num }) => num - 1));
  }

  private observeForks({ revision, branch }: ProgressDocument): void {
    const now = performance.now();
    if (!this.seen) this.seenSince = now;
    else if (this.seen.revision !== revision) this.forks.push({ num: firstUndone(this.seen.branch, branch), at: now });
    this.seen = { revision, branch };
    this.forks = this.forks.filter(({ at }) => now - at < this.rules.forkPauseMs);
  }

  private async record(upTo: number): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = await this.parts.progress.read();
      if (!read || read.progress.clean_up_to >= upTo) return;
      if (await this.parts.progress.replace(read, cleanedUpTo(read.progress, upTo))) return;
    }
  }

  private remember(blocks: readonly BlockPosition[]): void {
    const isNext = this.cleaned.at(-1)?.num === (blocks[0]?.num ?? 0) - 1;
    this.cleaned = [...(isNext ? this.cleaned : []), ...blocks].slice(-SWEPT_BLOCKS);
  }
}

/**
 * The lowest number at which a branch had another block before; blocks that were cleaned since are not compared. When there is none,
 * other processes committed all the blocks that were undone: they are above the branch of before.
 */
function firstUndone(before: readonly BlockPosition[], after: readonly BlockPosition[]): number {
  const ids = new Set(after.map(({ id }) => id));
  const lowest = after[0]?.num ?? Infinity;
  return before.find(({ num, id }) => num >= lowest && !ids.has(id))?.num ?? (before.at(-1)?.num ?? -1) + 1;
}

/** The number up to which blocks are irreversible and far enough below the head to be cleaned. */
export function settledUpTo(
  { position, head, irreversible }: Record<'position' | 'head' | 'irreversible', BlockPosition>,
  { settleBlocks }: Pick<CleaningRules, 'settleBlocks'>,
): number {
  return Math.min(irreversible.num, position.num - (isFarBehind({ position, head }) ? 0 : settleBlocks));
}

/** The progress after cleaning up to a block: the branch is listed from that block on. */
export function cleanedUpTo(progress: ProgressDocument, upTo: number): ProgressDocument {
  return { ...progress, clean_up_to: upTo, branch: progress.branch.filter(({ num }) => num >= upTo) };
}
