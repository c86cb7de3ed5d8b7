import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type { DataAbi, JournalDocument, ProgressDocument, StoredStreamPosition } from '../indices/documents';
import { abisChangedUpTo } from '../indices/progress';
import { dataAbiBelow } from '../write/data-abis';
import { Branch } from './branch';
import { dataStateAfter } from './data-state';

/** The journal entries after a stream position. */
export interface JournalExcerpt {
  /** The messages of each later epoch from its first on, as far as there are all; the newest epoch first. */
  later: readonly (readonly JournalDocument[])[];
  /** The next messages of the position's epoch, ascending. */
  following: readonly JournalDocument[];
  /** Whether there is any message of a later epoch. */
  hasLaterEpoch: boolean;
  /** Whether the epoch may have messages beyond `following`. */
  hasMore: boolean;
}

/**
 * Decides the order in which blocks join the committed branch, whatever order they were written in, and applies journal
 * entries to a progress. It continues with the newest epoch that has a block which is not on the branch and connects to it,
 * otherwise with the next message of the current epoch; otherwise it waits. An epoch that only repeats the branch does not take
 * over: when its reader falls silent, the reader of the current epoch continues.
 */
export class ChainOrder {
  /** The entries that extended the branch, ascending, without those undone again. */
  readonly applied: JournalDocument[] = [];
  private readonly progress: ProgressDocument;
  private readonly branch: Branch;
  private abisChangedUpTo: number;

  constructor(progress: ProgressDocument) {
    this.progress = { ...progress };
    this.abisChangedUpTo = abisChangedUpTo(progress);
    this.branch = new Branch(progress.branch);
  }

  get position(): StoredStreamPosition {
    return this.progress.view;
  }

  /** The blocks below the listed branch: only the indices know whether they are stored. */
  unknownOf({ later, following }: JournalExcerpt): BlockPosition[] {
    return [...later.flat(), ...following]
      .map(({ position }) => position)
      .filter((position) => this.isBelowListed(position));
  }

  /** The contracts whose ABIs the messages assume and the progress does not know. */
  unknownContractsOf({ later, following }: JournalExcerpt): string[] {
    return [...new Set([...later.flat(), ...following].flatMap((entry) => this.unknownContractsIn(entry)))];
  }

  /** Adds the ABIs that a contract has on the branch that the order began with. */
  knowAbis(abis: readonly DataAbi[]): void {
    this.progress.data_abis = [...abis, ...(this.progress.data_abis ?? [])];
  }

  /**
   * Applies the next messages as far as the excerpt has them, until `applied` has `most`; returns whether there were any.
   * `isStored` answers for the blocks of `unknownOf`. Throws `BLOCK_GAP`, `ABI_OUTDATED` or `FORK_TOO_DEEP` at a message that
   * cannot be applied, after applying those before it, unless a later epoch has begun. Ends before a message that assumes an ABI
   * that is unknown.
   */
  advance(journal: JournalExcerpt, isStored: (position: BlockPosition) => boolean, most = Infinity): boolean {
    const following = new Map(journal.following.map((entry) => [entry.ordinal, entry]));
    const before = this.progress.view.ordinal;
    while (this.applied.length < most) {
      const next = this.firstThatConnects(journal.later, isStored) ?? this.nextOfEpoch(following);
      if (!next || this.unknownContractsIn(next).length > 0) break;
      const refusal = this.refusalOf(next, isStored);
      if (refusal && journal.hasLaterEpoch) break;
      if (refusal) throw refusal;
      this.take(next, isStored);
    }
    return this.progress.view.ordinal > before;
  }

  private unknownContractsIn({ data_abis: abis }: JournalDocument): string[] {
    const assumed = Object.keys(abis?.before ?? {});
    return assumed.filter((contract) => dataAbiBelow(this.progress, contract, Infinity) === undefined);
  }

  /** The first messages of an epoch that only repeat the branch. */
  repeatedIn(epoch: readonly JournalDocument[], isStored: (position: BlockPosition) => boolean): JournalDocument[] {
    const end = epoch.findIndex(({ position }) => !this.isOnBranch(position, isStored));
    return end < 0 ? [...epoch] : epoch.slice(0, end);
  }

  /** The progress after the applied messages. */
  moved(): ProgressDocument {
    return {
      ...this.progress,
      abis_changed: { block_num: this.abisChangedUpTo, ordinal: this.position.ordinal },
      branch: this.branch.from(this.progress.clean_up_to),
    };
  }

  private firstThatConnects(
    later: JournalExcerpt['later'],
    isStored: (position: BlockPosition) => boolean,
  ): JournalDocument | undefined {
    const news = later
      .filter(([first]) => first && first.session > this.progress.view.session)
      .flatMap((epoch) => epoch.find(({ position }) => !this.isOnBranch(position, isStored)) ?? []);
    const refusal = news[0] && this.refusalOf(news[0], isStored);
    if (refusal?.code === 'FORK_TOO_DEEP') throw refusal;
    return news.find((entry) => !this.refusalOf(entry, isStored));
  }

  private nextOfEpoch(following: ReadonlyMap<number, JournalDocument>): JournalDocument | undefined {
    const next = following.get(this.progress.view.ordinal + 1);
    return next?.session === this.progress.view.session ? next : undefined;
  }

  /** Why a message cannot be applied now; undefined when it can. */
  private refusalOf(entry: JournalDocument, isStored: (position: BlockPosition) => boolean): HistoryError | undefined {
    const { position, previous } = entry;
    const { committed, last_irreversible: irreversible } = this.progress;
    if (committed && this.isOnBranch(position, isStored)) return undefined;
    const outdated = this.outdatedDataOf(entry);
    if (!committed) return outdated;
    if (position.num > committed.num) {
      const follows = position.num === committed.num + 1 && previous?.id === committed.id;
      return follows ? outdated : gap(position, previous, committed);
    }
    if (irreversible && position.num <= irreversible.num) return contradiction(position, irreversible);
    const parent = this.branch.at(position.num - 1);
    return parent && parent.id !== previous?.id ? gap(position, previous, parent) : outdated;
  }

  /**
   * Whether the block's data was decoded with an ABI that is not the one in force, before a repair has replaced ABIs, or for a data
   * field that the writers do not index any more: it has to be decoded again. One of them may replace the documents without that
   * field, even after they were compared with the entry.
   */
  private outdatedDataOf({
    position,
    data_fields: keys = [],
    data_abis: abis,
  }: JournalDocument): HistoryError | undefined {
    const { writer_fields: writers } = this.progress;
    if (writers && keys.some((key) => !writers.keys.includes(key))) {
      const reason = `block ${position.num} was indexed by data fields that the indexers do not have any more`;
      return new HistoryError('ABI_OUTDATED', reason);
    }
    const isOld = (abis?.rewrites ?? 0) < (this.progress.abi_rewrites ?? 0);
    const wrong = Object.entries(abis?.before ?? {}).find(
      ([contract, hash]) => isOld || (dataAbiBelow(this.progress, contract, position.num) ?? hash) !== hash,
    );
    if (!wrong) return undefined;
    const decoded = `the data of block ${position.num} was decoded with an ABI of ${wrong[0]}`;
    const reason = isOld ? `${decoded} before a repair replaced ABIs` : `${decoded} that is not in force`;
    return new HistoryError('ABI_OUTDATED', reason);
  }

  private isOnBranch(position: BlockPosition, isStored: (position: BlockPosition) => boolean): boolean {
    return this.isBelowListed(position) ? isStored(position) : this.branch.at(position.num)?.id === position.id;
  }

  /** Whether a block is below the listed branch. Above `clean_up_to`, an unlisted block is not part of the branch. */
  private isBelowListed({ num }: BlockPosition): boolean {
    return num <= this.progress.clean_up_to && num < (this.branch.first?.num ?? 0);
  }

  private take(entry: JournalDocument, isStored: (position: BlockPosition) => boolean): void {
    const { session, ordinal, position } = entry;
    this.progress.view = { session, ordinal };
    // The committed block itself was delivered again.
    if (this.isOnBranch(position, isStored)) return;
    if (this.progress.committed && position.num <= this.progress.committed.num) this.undoFrom(position.num);
    this.append(entry);
  }

  private undoFrom(num: number): void {
    this.branch.cutFrom(num);
    while ((this.applied.at(-1)?.position.num ?? -1) >= num) this.applied.pop();
    this.progress.committed = this.branch.last;
    // All blocks are undone: the data fields begin with the next one, as the history does.
    if (!this.branch.last) delete this.progress.data_fields;
    if (num <= (this.progress.first_block_num ?? 0)) this.progress.first_block_num = undefined;
    this.progress.revision++;
    this.progress.data_abis = (this.progress.data_abis ?? []).filter(({ block_num }) => block_num < num);
  }

  private append(entry: JournalDocument): void {
    const { progress } = this;
    if (!progress.committed) progress.lacks_state = entry.whole_state === false || undefined;
    else if (entry.whole_state) progress.lacks_state = undefined;
    this.branch.append(entry.position);
    this.applied.push(entry);
    progress.committed = entry.position;
    progress.committed_timestamp = entry.timestamp || undefined;
    progress.head = entry.head;
    // Irreversibility is never taken back: a node that lags behind another reports an older block.
    if ((progress.last_irreversible?.num ?? 0) <= entry.last_irreversible.num) {
      progress.last_irreversible = entry.last_irreversible;
    }
    if (entry.counts.abis > 0) this.abisChangedUpTo = entry.position.num;
    if (entry.has_block) progress.first_block_num ??= entry.position.num;
    if (entry.end_sequence > 0) progress.end_sequence = entry.end_sequence;
    // An entry of version 4.1, whose actions lack what positions need.
    if (entry.timestamp === undefined) progress.counts_traces = false;
    Object.assign(progress, dataStateAfter(progress, entry));
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
