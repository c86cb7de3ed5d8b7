import type { BlockPosition } from '@antelope-history/records';
import type { ChainStatus } from '@antelope-history/store';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { JournalDocument, ProgressDocument } from '../indices/documents';
import { rangeStart } from '../indices/index-names';
import { statusOf, type ReadProgress } from '../indices/progress';
import type { BranchDocuments } from './branch-documents';
import { ChainOrder, type CleaningRules } from './chain-order';
import type { Journal } from './journal';
import type { ProgressStore } from './progress-store';

export interface CommitRules extends CleaningRules {
  /** How many of the newest blocks are kept, by whole ranges; 0 = all. */
  retainBlocks: number;
}

/** Blocks that one commit shows at most; the next goes on. */
const MOST_BLOCKS = 10_000;
/** Each time that another committer was faster, the head has moved. */
const MOST_TRIES = 50;

export interface Commit {
  before: ProgressDocument;
  after: ProgressDocument;
}

/**
 * Moves the committed head over what the journal says is durable. Any number of them may at once, in any processes: the
 * progress is replaced only if it is still the one that was read, and who loses reads again.
 */
export class Committer {
  private seenOrdinal: number | undefined;

  constructor(
    private readonly parts: { progress: ProgressStore; journal: Journal; documents: BranchDocuments },
    private readonly rules: CommitRules,
  ) {}

  /**
   * Commits all that has nothing before it any more, and then tells `committed` of each step. Rejects with `BLOCK_GAP` when
   * what comes next does not follow, or is not whole, with `FORK_TOO_DEEP` when it contradicts what is irreversible; what is
   * before that is committed.
   */
  async commit(committed: (commit: Commit) => void): Promise<ChainStatus> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const read = await this.readProgress();
      const step = await this.step(read);
      if (step.refusal && !step.commit) throw step.refusal;
      if (!step.commit) return statusOf(read.progress);
      if (!(await this.parts.progress.replace(read, step.commit.after))) continue;
      this.seenOrdinal = step.commit.after.view.ordinal;
      committed(step.commit);
      if (step.refusal) throw step.refusal;
      if (!step.hasMore) return statusOf(step.commit.after);
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'others commit all the time');
  }

  /** Whether the head was moved by another since this one looked last. */
  async hasBeenMoved(): Promise<boolean> {
    const seen = this.seenOrdinal;
    const { progress } = await this.readProgress();
    this.seenOrdinal = progress.view.ordinal;
    return seen !== undefined && progress.view.ordinal > seen;
  }

  private async readProgress(): Promise<ReadProgress> {
    const read = await this.parts.progress.read();
    if (!read) throw new HistoryError('STORE_UNAVAILABLE', 'the progress is missing');
    return read;
  }

  /** What a progress may be replaced by; the documents of it are visible, and what it calls clean is. */
  private async step({ progress }: ReadProgress): Promise<Step> {
    const order = new ChainOrder(progress);
    const { refusal, hasMore, hasLaterSession } = await this.advance(order, progress);
    if (order.view.ordinal === progress.view.ordinal) return { commit: undefined, refusal, hasMore: false };
    const { documents } = this.parts;
    const { blocks_per_index: blocksPerIndex } = progress;
    await documents.refresh(order.applied, blocksPerIndex);
    if (!(await documents.areWhole(order.applied, blocksPerIndex))) {
      const refused = hasLaterSession ? undefined : missing(order.applied);
      return { commit: undefined, refusal: refused, hasMore: false };
    }
    const after = this.retained(order.moved(this.rules));
    const [from, to] = [progress.clean_up_to, after.clean_up_to];
    if (to > from) await documents.removeStrays(from, to, order.branchWithin(from, to), blocksPerIndex);
    return { commit: { before: progress, after }, refusal, hasMore };
  }

  /** Takes what the journal has, as far as it goes. */
  private async advance(order: ChainOrder, progress: ProgressDocument): Promise<Advance> {
    for (;;) {
      const { session } = order.view;
      const excerpt = await this.parts.journal.read(order.view);
      const { hasLaterSession } = excerpt;
      const isStored = await this.storedAmong(order.unknownOf(excerpt), progress);
      const refusal = refusalOf(() => order.advance(excerpt, isStored));
      const hasMore = !refusal && (excerpt.hasMore || order.view.session !== session);
      if (!hasMore || order.applied.length >= MOST_BLOCKS) return { refusal, hasMore, hasLaterSession };
    }
  }

  private async storedAmong(
    positions: BlockPosition[],
    { blocks_per_index, first_block_num: first = 0 }: ProgressDocument,
  ): Promise<(position: BlockPosition) => boolean> {
    const stored = await this.parts.documents.storedOf(positions, blocks_per_index);
    // Of blocks that are no longer kept nothing is known, and nothing wanted.
    return ({ num, id }) => stored.has(id) || (this.rules.retainBlocks > 0 && num < first);
  }

  /** Whole ranges below what is to be kept are no history any more. */
  private retained(progress: ProgressDocument): ProgressDocument {
    const { committed, first_block_num: first, clean_up_to: clean, blocks_per_index: blocksPerIndex } = progress;
    if (this.rules.retainBlocks === 0 || !committed || first === undefined) return progress;
    const oldest = Math.min(committed.num - this.rules.retainBlocks + 1, clean);
    const kept = oldest <= 0 ? 0 : rangeStart(oldest, blocksPerIndex);
    return kept > first ? { ...progress, first_block_num: kept } : progress;
  }
}

interface Advance {
  /** Why it ends here; what is before that is taken. */
  refusal: HistoryError | undefined;
  /** Whether more may be there to be taken. */
  hasMore: boolean;
  hasLaterSession: boolean;
}

interface Step extends Omit<Advance, 'hasLaterSession'> {
  commit: Commit | undefined;
}

/** What `advance` throws because of a block. */
function refusalOf(advance: () => void): HistoryError | undefined {
  try {
    advance();
    return undefined;
  } catch (error) {
    if (hasErrorCode(error, 'BLOCK_GAP') || hasErrorCode(error, 'FORK_TOO_DEEP')) return error;
    throw error;
  }
}

function missing([first]: readonly JournalDocument[]): HistoryError {
  return new HistoryError('BLOCK_GAP', `documents are missing of block ${first?.position.num} or one that follows it`);
}
