import { type BlockPosition, hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { JournalDocument, ProgressDocument } from '../indices/documents';
import { rangeStart } from '../indices/block-ranges';
import type { ReadProgress } from '../indices/progress';
import { isRestored } from '../indices/restored-blocks';
import type { BranchCleaner } from './branch-cleaner';
import type { BranchDocuments, Lack } from './branch-documents';
import type { CommittedAbis } from '../write/committed-abis';
import { ChainOrder } from './chain-order';
import { withRangesCounted } from './count-ranges';
import type { Journal } from './journal';
import type { ProgressStore } from './progress-store';
import type { WriteTerms } from './write-terms';

export interface CommitRules {
  /** The number of newest blocks to keep, in whole ranges; 0 = all. */
  retainBlocks: number;
  /** The actions with which a range of blocks ends. */
  actionsPerIndex: number;
}

/** The most blocks in one commit; the next one continues. The progress lists them until they are cleaned. */
const MAX_BLOCKS = 5_000;
/** The most messages of another reader that only repeat the branch, before their entries are deleted. */
const MAX_REPEATED = 64;
/** Each conflict means that another committer has moved the head. */
const MAX_TRIES = 50;

export interface Commit {
  before: ProgressDocument;
  after: ProgressDocument;
}

/**
 * Moves the committed head over the durable blocks of the journal. Any number of committers may run at once, in any process:
 * the progress is replaced by compare and set, and the loser re-reads.
 */
export class Committer {
  private seenSequence: number | undefined;

  constructor(
    private readonly parts: {
      progress: ProgressStore;
      journal: Journal;
      documents: BranchDocuments;
      cleaner: BranchCleaner;
      abis: CommittedAbis;
      terms: WriteTerms;
    },
    private readonly rules: CommitRules,
  ) {}

  /**
   * Commits every block with no gap before it, calls `committed` after each step, and returns the progress. Rejects with `BLOCK_GAP`
   * when the next block does not follow or is incomplete, with `ABI_OUTDATED` when its data has to be decoded again, with
   * `FORK_TOO_DEEP` when it contradicts an irreversible one; the blocks before it are committed.
   */
  async commit(committed: (commit: Commit) => void): Promise<ProgressDocument> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = await this.parts.terms.settled();
      const step = await this.step(read);
      if (step.refusal && !step.commit) throw step.refusal;
      if (!step.commit) return read.progress;
      if (!(await this.parts.progress.replace(read, step.commit.after))) continue;
      this.seenSequence = step.commit.after.view.ordinal;
      committed(step.commit);
      if (step.refusal) throw step.refusal;
      if (!step.hasMore) return step.commit.after;
      // Otherwise the list of blocks would grow from step to step.
      await this.parts.cleaner.clean();
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'the progress changed on every attempt to commit');
  }

  /** Whether another committer has moved the head since the last call. */
  async hasBeenMoved(): Promise<boolean> {
    const seen = this.seenSequence;
    const { progress } = await this.parts.progress.require();
    this.seenSequence = progress.view.ordinal;
    return seen !== undefined && progress.view.ordinal > seen;
  }

  /** The next progress, if any, with at most `most` blocks more: its documents are visible. */
  private async step({ progress }: Pick<ReadProgress, 'progress'>, most = MAX_BLOCKS): Promise<Step> {
    const order = new ChainOrder(progress);
    const { refusal, hasMore, hasLaterEpoch } = await this.applyJournal(order, progress, most);
    if (order.position.ordinal === progress.view.ordinal) return { commit: undefined, refusal, hasMore: false };
    const { documents } = this.parts;
    const [first, ...others] = order.applied;
    await documents.refresh(order.applied, progress);
    const lack = await documents.lackOf(order.applied, progress);
    // The blocks before the one that lacks something are committed: those after them can only then be decoded with certainty.
    if (lack && others.length > 0) return this.step({ progress }, Math.floor(order.applied.length / 2));
    if (lack) {
      const refused = hasLaterEpoch ? undefined : lacking(lack, first);
      return { commit: undefined, refusal: refused, hasMore: false };
    }
    const moved = withRangesCounted(order.moved(), order.applied, this.rules.actionsPerIndex);
    return { commit: { before: progress, after: this.retained(moved) }, refusal, hasMore };
  }

  /** Applies journal entries as far as they connect. */
  private async applyJournal(order: ChainOrder, progress: ProgressDocument, most: number): Promise<AppliedJournal> {
    for (;;) {
      const { session } = order.position;
      const excerpt = await this.parts.journal.read(order.position);
      const { hasLaterEpoch } = excerpt;
      const isStored = await this.storedAmong(order.unknownOf(excerpt), progress);
      const unknown = order.unknownContractsOf(excerpt);
      // The indices tell the ABIs at the stored progress, not those that the blocks applied since have set.
      if (unknown.length > 0 && order.applied.length > 0) {
        return { refusal: undefined, hasMore: true, hasLaterEpoch };
      }
      await this.findAbis(order, unknown, progress);
      let hasMoved = false;
      const refusal = caughtRefusal(() => (hasMoved = order.advance(excerpt, isStored, most)));
      for (const epoch of excerpt.later) {
        const repeated = order.repeatedIn(epoch, isStored);
        if (repeated.length >= MAX_REPEATED) await this.parts.journal.shorten(repeated);
      }
      const isPartial =
        excerpt.hasMore || order.position.session !== session || order.unknownContractsOf(excerpt).length > 0;
      const isFull = order.applied.length >= most;
      // A message that is refused while a later epoch exists ends the order without an error.
      const hasMore = !refusal && (isFull || (isPartial && hasMoved));
      if (!hasMore || isFull) return { refusal, hasMore, hasLaterEpoch };
    }
  }

  /** The progress does not know the ABIs of contracts whose data fields were not indexed before: the indices do. */
  private async findAbis(order: ChainOrder, contracts: readonly string[], progress: ProgressDocument): Promise<void> {
    for (const contract of contracts) {
      order.knowAbis(await this.parts.abis.reversibleOf(contract, progress));
    }
  }

  private async storedAmong(
    positions: BlockPosition[],
    progress: ProgressDocument,
  ): Promise<(position: BlockPosition) => boolean> {
    const { first_block_num: first = 0, has_removed_blocks: hasRemoved } = progress;
    const stored = await this.parts.documents.storedOf(positions, progress);
    // Blocks below the retained history are treated as stored: nothing is to be done about them. Another process may retain fewer blocks.
    const isRemoved = (num: number): boolean => (hasRemoved === true || this.rules.retainBlocks > 0) && num < first;
    // So are blocks that a repair has yet to restore: there is no stored id to compare theirs with.
    const isLost = (num: number): boolean => !isRestored({ first: num, last: num }, progress);
    return ({ num, id }) => stored.has(id) || isRemoved(num) || isLost(num);
  }

  /** Moves the start of the history past the ranges that are no longer retained. */
  private retained(progress: ProgressDocument): ProgressDocument {
    const { committed, first_block_num: first, clean_up_to: clean } = progress;
    if (this.rules.retainBlocks === 0 || !committed || first === undefined) return progress;
    const oldest = Math.min(committed.num - this.rules.retainBlocks + 1, clean);
    const kept = oldest <= 0 ? 0 : rangeStart(oldest, progress);
    if (kept <= first) return progress;
    // Positions of traces are counted from the first block, and would change with each removal.
    return { ...progress, first_block_num: kept, has_removed_blocks: true, counts_traces: false };
  }
}

interface AppliedJournal {
  /** Why applying ended here; the messages before are applied. */
  refusal: HistoryError | undefined;
  /** Whether the journal may have more messages to apply. */
  hasMore: boolean;
  hasLaterEpoch: boolean;
}

interface Step extends Omit<AppliedJournal, 'hasLaterEpoch'> {
  commit: Commit | undefined;
}

const REFUSALS = ['BLOCK_GAP', 'ABI_OUTDATED', 'FORK_TOO_DEEP'] as const;

/** The error that `ChainOrder.advance` throws because of a block; rethrows any other. */
function caughtRefusal(advance: () => unknown): HistoryError | undefined {
  try {
    advance();
    return undefined;
  } catch (error) {
    if (REFUSALS.some((code) => hasErrorCode(error, code))) return error as HistoryError;
    throw error;
  }
}

function lacking(lack: Lack, block: JournalDocument | undefined): HistoryError {
  if (lack === 'documents') return new HistoryError('BLOCK_GAP', `block ${block?.position.num} lacks documents`);
  return new HistoryError(
    'ABI_OUTDATED',
    `the data of block ${block?.position.num} was decoded with an ABI or with data fields that its journal entry does not name`,
  );
}
