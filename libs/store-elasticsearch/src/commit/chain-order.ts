import type { BlockPosition, View } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { JournalDocument, ProgressDocument } from '../indices/documents';
import { isFarBehind } from '../write/far-behind';
import { Branch } from './branch';

/** What the journal holds above a view. */
export interface JournalExcerpt {
  /** First messages of sessions above the view's, the newest first. */
  firsts: readonly JournalDocument[];
  /** Messages of the view's session after it, ascending. */
  following: readonly JournalDocument[];
  /** Whether any message of a later session is there. */
  hasLaterSession: boolean;
  /** Whether messages of the session are there beyond those in `following`. */
  hasMore: boolean;
}

export interface CleaningRules {
  /**
   * How far below the committed head the indices hold nothing but the branch, while following the head. Who began to write a
   * block that was orphaned meanwhile has ended long before the chain has grown so far (`block-writer.ts`).
   */
  settleBlocks: number;
}

/**
 * In which order blocks become the committed branch, whatever order they were written in: a progress, moved on by what the
 * journal says. It goes on with the newest session whose first message connects to the branch, else with the next message
 * of the session that it is in, else it waits.
 */
export class ChainOrder {
  /** The entries of which the branch has grown, ascending, without those that were undone again. */
  readonly applied: JournalDocument[] = [];
  private readonly progress: ProgressDocument;
  private readonly branch: Branch;
  private readonly revisionBefore: number;

  constructor(progress: ProgressDocument) {
    this.progress = { ...progress };
    this.revisionBefore = progress.revision;
    this.branch = new Branch(progress.branch);
  }

  get view(): View {
    return this.progress.view;
  }

  /** The blocks of the branch that are above one and up to another, as far as they are named. */
  branchWithin(after: number, upTo: number): BlockPosition[] {
    return this.branch.from(after + 1).filter(({ num }) => num <= upTo);
  }

  /** The blocks so low that the progress does not name them: whether they are stored, only the indices know. */
  unknownOf({ firsts, following }: JournalExcerpt): BlockPosition[] {
    return [...firsts, ...following].map(({ position }) => position).filter((position) => this.isUnnamed(position));
  }

  /**
   * Takes what comes next, as far as it is in the excerpt; gives whether that was anything. `isStored` is asked about
   * `unknownOf`. Throws `BLOCK_GAP` or `FORK_TOO_DEEP`, after it took what is before that, at a message that can not be
   * taken, unless a later session has begun.
   */
  advance(journal: JournalExcerpt, isStored: (position: BlockPosition) => boolean): boolean {
    const following = new Map(journal.following.map((entry) => [entry.ordinal, entry]));
    const before = this.progress.view.ordinal;
    for (;;) {
      const next = this.firstThatConnects(journal.firsts, isStored) ?? this.nextOfSession(following);
      if (!next) break;
      const refusal = this.refusalOf(next, isStored);
      if (refusal && journal.hasLaterSession) break;
      if (refusal) throw refusal;
      this.take(next, isStored);
    }
    return this.progress.view.ordinal > before;
  }

  /** The progress after what was taken. `clean_up_to` says what has to be clean before it may be shown. */
  moved(rules: CleaningRules): ProgressDocument {
    const cleanUpTo = Math.max(this.progress.clean_up_to, this.hasUndone ? 0 : this.cleanableUpTo(rules));
    return { ...this.progress, clean_up_to: cleanUpTo, branch: this.branch.from(cleanUpTo) };
  }

  /** Queries under way still read what was undone just now. */
  private get hasUndone(): boolean {
    return this.progress.revision > this.revisionBefore;
  }

  private cleanableUpTo({ settleBlocks }: CleaningRules): number {
    const { committed, last_irreversible: irreversible } = this.progress;
    const last = this.applied.at(-1);
    if (!last || !committed || !irreversible) return 0;
    return Math.min(irreversible.num, committed.num - (isFarBehind(last) ? 0 : settleBlocks));
  }

  private firstThatConnects(
    firsts: readonly JournalDocument[],
    isStored: (position: BlockPosition) => boolean,
  ): JournalDocument | undefined {
    const later = firsts.filter(({ session }) => session > this.progress.view.session);
    const refusal = later[0] && this.refusalOf(later[0], isStored);
    if (refusal?.code === 'FORK_TOO_DEEP') throw refusal;
    return later.find((entry) => !this.refusalOf(entry, isStored));
  }

  private nextOfSession(following: ReadonlyMap<number, JournalDocument>): JournalDocument | undefined {
    const next = following.get(this.progress.view.ordinal + 1);
    return next?.session === this.progress.view.session ? next : undefined;
  }

  /** Why a message can not be taken now; undefined when it can. */
  private refusalOf(
    { position, previous }: JournalDocument,
    isStored: (position: BlockPosition) => boolean,
  ): HistoryError | undefined {
    const { committed, last_irreversible: irreversible } = this.progress;
    if (!committed || this.isOnBranch(position, isStored)) return undefined;
    if (position.num > committed.num) {
      const follows = position.num === committed.num + 1 && previous?.id === committed.id;
      return follows ? undefined : gap(position, previous, committed);
    }
    if (irreversible && position.num <= irreversible.num) return contradiction(position, irreversible);
    const parent = this.branch.at(position.num - 1);
    return parent && parent.id !== previous?.id ? gap(position, previous, parent) : undefined;
  }

  private isOnBranch(position: BlockPosition, isStored: (position: BlockPosition) => boolean): boolean {
    return this.isUnnamed(position) ? isStored(position) : this.branch.at(position.num)?.id === position.id;
  }

  /** Above what is clean, what is not named is not of the branch, whether it was written or not. */
  private isUnnamed({ num }: BlockPosition): boolean {
    return num <= this.progress.clean_up_to && num < (this.branch.first?.num ?? 0);
  }

  private take(entry: JournalDocument, isStored: (position: BlockPosition) => boolean): void {
    const { session, ordinal, position } = entry;
    this.progress.view = { session, ordinal };
    // The very block that stands there was delivered again, and is passed over.
    if (this.isOnBranch(position, isStored)) return;
    if (this.progress.committed && position.num <= this.progress.committed.num) this.undoFrom(position.num);
    this.append(entry);
  }

  private undoFrom(num: number): void {
    this.branch.cutFrom(num);
    while ((this.applied.at(-1)?.position.num ?? -1) >= num) this.applied.pop();
    this.progress.committed = this.branch.last;
    if (num <= (this.progress.first_block_num ?? 0)) this.progress.first_block_num = undefined;
    this.progress.revision++;
  }

  private append(entry: JournalDocument): void {
    const { progress } = this;
    this.branch.append(entry.position);
    this.applied.push(entry);
    progress.committed = entry.position;
    progress.head = entry.head;
    // What was irreversible stays so: a node that lags behind another says less.
    if ((progress.last_irreversible?.num ?? 0) <= entry.last_irreversible.num) {
      progress.last_irreversible = entry.last_irreversible;
    }
    if (entry.has_block) progress.first_block_num ??= entry.position.num;
    if (entry.end_sequence > 0) progress.end_sequence = entry.end_sequence;
  }
}

function gap(position: BlockPosition, previous: BlockPosition | undefined, stored: BlockPosition): HistoryError {
  return new HistoryError(
    'BLOCK_GAP',
    `block ${position.num} follows ${previous?.id ?? 'nothing'}, stored is ${stored.num} ${stored.id}`,
  );
}

function contradiction(position: BlockPosition, irreversible: BlockPosition): HistoryError {
  return new HistoryError(
    'FORK_TOO_DEEP',
    `block ${position.num} has another id than the one stored, but block ${irreversible.num} is irreversible`,
  );
}
