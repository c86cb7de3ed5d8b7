import { setImmediate as turn } from 'node:timers/promises';
import type { ActionRecord } from '@antelope-history/records';
import type {
  ChainStatus,
  ListCheck,
  ListCheckOptions,
  ListFault,
  ListSection,
  SetDigest,
  StoredBlockTransaction,
} from '@antelope-history/store';
import { ALL_KINDS, FURTHER_TRACES, WHOLE_CHAIN } from '../format/action-kinds';
import { readFact } from '../format/chain-facts';
import { ID_PREFIX_BYTES, listPrefix, readSequence, transactionKey } from '../format/keys';
import type { Snapshot, Table, Tables } from '../format/tables';
import { KnownKinds } from './known-kinds';
import { addToDigest, emptyDigest, equalDigests, hashOfPrefix, postingCode } from './list-digest';
import { ChunkReader, type FoundInLists, SectionFinder, takeEntries } from './list-scan';

/** Runs a query in a snapshot of its own. */
type Read = <T>(query: (snapshot: Snapshot, status: ChainStatus) => T) => Promise<T>;

/** Entries that are read in one snapshot: LMDB cannot reuse the pages of older states while a snapshot is open. */
const ENTRIES_PER_READ = 2_000;

/**
 * The check of the posting lists and of the table of transaction ids. It keeps a digest per section of blocks, so its memory does
 * not grow with the number of actions, and reads each table once.
 */
export class LmdbListCheck implements ListCheck {
  readonly sections: ListSection[];
  private readonly kinds: KnownKinds;
  private readonly countsTraces: boolean;

  constructor(
    private readonly tables: Tables,
    private readonly options: ListCheckOptions,
    private readonly read: Read,
    private readonly entriesPerRead = ENTRIES_PER_READ,
  ) {
    this.kinds = new KnownKinds(tables);
    this.countsTraces = readFact(tables, 'countsTraces') === true;
    this.sections = structuredClone([...(options.sections ?? [])]);
  }

  add(blockNum: number, transactions: readonly StoredBlockTransaction[]): void {
    const section = this.sectionFor(blockNum);
    for (const { record, actions } of transactions) {
      if (section.endSequence === 0) section.firstSequence = record.firstSequence;
      section.endSequence = record.firstSequence + record.sequenceCount;
      const id = hashOfPrefix(transactionKey(record.id, 0), ID_PREFIX_BYTES);
      addToDigest(section.transactions, id, record.firstSequence);
      for (const action of actions) this.addPostings(section.postings, action);
    }
  }

  async compare(signal: AbortSignal): Promise<ListFault[]> {
    const found = this.sections.map((): FoundInLists => {
      return { postings: emptyDigest(), transactions: emptyDigest(), chunkFault: undefined };
    });
    const finder = new SectionFinder(this.sections);
    const chunks = new ChunkReader(finder, found, {
      countsTraces: this.countsTraces,
      hasShortenedLists: readFact(this.tables, 'hasShortenedLists') === true,
    });
    await this.scan(this.tables.postings, (key, value) => chunks.take(key, value), signal);
    const takeTransaction = (key: Buffer): void => {
      const sequence = readSequence(key, ID_PREFIX_BYTES);
      const at = finder.indexOf(sequence);
      if (at >= 0) addToDigest((found[at] as FoundInLists).transactions, hashOfPrefix(key, ID_PREFIX_BYTES), sequence);
    };
    await this.scan(this.tables.transactions, takeTransaction, signal);
    return signal.aborted ? [] : this.sections.flatMap((section, at) => faultsOf(section, found[at] as FoundInLists));
  }

  private sectionFor(blockNum: number): ListSection {
    const last = this.sections.at(-1);
    if (last?.lastBlock === blockNum - 1 && blockNum - last.firstBlock < this.options.blocksPerSection) {
      last.lastBlock = blockNum;
      return last;
    }
    const section: ListSection = {
      firstBlock: blockNum,
      lastBlock: blockNum,
      firstSequence: 0,
      endSequence: 0,
      postings: emptyDigest(),
      transactions: emptyDigest(),
    };
    this.sections.push(section);
    return section;
  }

  /** The lists that `PostingWriter.add` appends an action to. */
  private addPostings(digest: SetDigest, { account, name, authorization, traces }: ActionRecord): void {
    const own = traces[0];
    if (!own) return;
    const { globalSequence } = own.receipt;
    const posting = postingCode(globalSequence, own.creatorOrdinal === 0);
    const { exact, anyName, anyContract } = this.kinds.of(account, name);
    const append = (of: string, kind: number): void => addToDigest(digest, hashOfPrefix(listPrefix(of, kind)), posting);
    const accounts = [...traces.map(({ receiver }) => receiver), ...authorization.map(({ actor }) => actor)];
    for (const each of new Set(accounts)) {
      append(each, ALL_KINDS);
      append(each, exact);
    }
    for (const kind of [ALL_KINDS, exact, anyName, anyContract]) append(WHOLE_CHAIN, kind);
    if (!this.countsTraces) return;
    for (const actor of new Set(authorization.map(({ actor }) => actor))) {
      const list = hashOfPrefix(listPrefix(actor, FURTHER_TRACES));
      for (let index = 1; index < traces.length; index++)
        addToDigest(digest, list, postingCode(globalSequence + index, false));
    }
  }

  /** Reads a table in ascending order of its keys, in snapshots of limited size. */
  private async scan(table: Table, take: (key: Buffer, value: Buffer) => void, signal: AbortSignal): Promise<void> {
    let start: Buffer | undefined = Buffer.alloc(0);
    while (start && !signal.aborted) {
      const range: { start: Buffer; limit: number } = { start, limit: this.entriesPerRead };
      start = await this.read((snapshot) => takeEntries(table, { ...range, transaction: snapshot }, take));
      await turn();
    }
  }
}

function faultsOf(section: ListSection, found: FoundInLists): ListFault[] {
  const { firstBlock, lastBlock } = section;
  const details: string[] = [];
  const compare = (what: string, expected: SetDigest, stored: SetDigest): void => {
    if (equalDigests(expected, stored)) return;
    const counts = stored.count === expected.count ? 'others' : `${stored.count}, not ${expected.count}`;
    details.push(`the lists have ${counts} of its ${what}`);
  };
  compare('entries of actions', section.postings, found.postings);
  compare('transaction ids', section.transactions, found.transactions);
  if (found.chunkFault !== undefined) details.push(found.chunkFault);
  return details.map((detail) => ({ firstBlock, lastBlock, detail }));
}
