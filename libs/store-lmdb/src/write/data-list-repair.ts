import { DataFields, parseDataField } from '@antelope-history/data-fields';
import type { ActionEntry } from '@antelope-history/records';
import { WHOLE_CHAIN } from '../format/action-kinds';
import { type MigrationFact, readBlockIndex, readFact, readStatus } from '../format/chain-facts';
import { chunkKey, kindKey, LIST_PREFIX_BYTES, listPrefix, MAX_SEQUENCE, readSequence } from '../format/keys';
import { decodeChunk } from '../format/posting-chunk';
import { floorEntry, type Tables } from '../format/tables';
import type { TracePage } from '../format/trace-page';
import { AbiVersions, type ChangedRange, type ReplacedBlock } from './abi-versions';
import { type DataKind, DataKinds } from './data-kinds';
import { KindAllocator } from './kind-allocator';
import { ListEdits } from './list-edits';
import { actionsOfPage, StoredActions } from './stored-actions';
import { WriteBatch } from './write-batch';

/** Actions of a batch: about a second of work, and 50 MB of edits. */
const ACTIONS_PER_BATCH = 50_000;

/** A replaced block with the pages that are stored of it. */
export interface RepairedBlock extends ReplacedBlock {
  storedPages: readonly TracePage[];
}

/**
 * Moves actions between the lists of data values: those of the replaced blocks, and those of later blocks that were decoded with an
 * ABI that is replaced. Which lists an action is in is not stored, so it is removed from those of its values by the ABI that is
 * stored, and added to those of its values by the right one.
 */
export class DataListRepair {
  private readonly replaced = new Map<number, RepairedBlock>();

  /** `actionsPerBatch`: of one commit. */
  constructor(
    private readonly tables: Tables,
    private readonly actionsPerBatch = ACTIONS_PER_BATCH,
  ) {}

  add(block: RepairedBlock): void {
    this.replaced.set(block.block.position.num, block);
  }

  /**
   * The batches to commit before the blocks are replaced, each before the next is asked for; a repair that ends between two of them
   * is repeated with the same ABIs. Blocks that a fork can undo go into `replacement`, the batch with the blocks: undoing them
   * removes their actions from the lists of their values by the stored ABI.
   */
  *batches(replacement: WriteBatch): Generator<WriteBatch> {
    const migration = readFact(this.tables, 'migration');
    if (migration) yield* this.moveIrreversible(FieldLists.ofMigration(this.tables, migration));
    const indexed = FieldLists.ofIndexed(this.tables);
    yield* this.moveIrreversible(indexed);
    const range = { start: this.irreversibleEnd(), end: Infinity };
    for (const later of this.laterActions(indexed, range, Infinity)) this.moveLater(indexed, later, replacement);
    indexed.flush(replacement);
  }

  private *moveIrreversible(lists: FieldLists): Generator<WriteBatch> {
    const range = { start: 0, end: Math.min(this.irreversibleEnd(), lists.end) };
    for (const later of this.laterActions(lists, range, this.actionsPerBatch)) {
      const batch = new WriteBatch();
      this.moveLater(lists, later, batch);
      lists.flush(batch);
      yield batch;
      lists.committed();
    }
    const batch = new WriteBatch();
    this.moveReplaced(lists, batch);
    lists.flush(batch);
    yield batch;
    lists.committed();
  }

  private moveReplaced(lists: FieldLists, batch: WriteBatch): void {
    for (const contract of lists.fields.contracts) {
      const abis = new AbiVersions(this.tables, contract, this.replaced);
      const isOwn = ({ account, sequence }: ActionEntry) => account === contract && sequence < lists.end;
      for (const [num, { block, storedPages }] of this.replaced) {
        for (const action of storedPages.flatMap(actionsOfPage).filter(isOwn)) lists.remove(action, num, abis, batch);
        for (const { actions } of block.transactions)
          for (const action of actions.filter(isOwn)) lists.add(action, num, abis, batch);
      }
    }
  }

  private moveLater(lists: FieldLists, { abis, sequences }: LaterActions, batch: WriteBatch): void {
    const stored = new StoredActions(this.tables);
    for (const sequence of sequences) {
      const { action, blockNum = 0 } = stored.at(sequence) ?? {};
      if (!action || this.replaced.has(blockNum)) continue;
      lists.remove(action, blockNum, abis, batch);
      lists.add(action, blockNum, abis, batch);
    }
  }

  /** The actions with a field within a range that an ABI is replaced for, ascending for each contract and name. */
  private *laterActions(lists: FieldLists, within: ChangedRange, most: number): Generator<LaterActions> {
    for (const [contract, names] of lists.actionNames) {
      const abis = new AbiVersions(this.tables, contract, this.replaced);
      for (const { start, end } of abis.changedRanges()) {
        const range = { start: Math.max(start, within.start), end: Math.min(end, within.end) };
        for (const name of names)
          for (const sequences of this.sequencesOf(contract, name, range, most)) yield { abis, sequences };
      }
    }
  }

  /** The sequences of a contract's actions of a name in parts. No cursor stays open between two: commits come between them. */
  private *sequencesOf(
    account: string,
    name: string,
    { start, end }: ChangedRange,
    most: number,
  ): Generator<readonly number[]> {
    const kind = this.tables.kinds.get(kindKey({ account, name }))?.readUInt32BE(0);
    if (kind === undefined) return;
    let from = start;
    while (from < end) {
      const part = postingsWithin(this.tables, listPrefix(WHOLE_CHAIN, kind), { start: from, end }, most);
      if (part.length === 0) return;
      yield part;
      from = (part.at(-1) as number) + 1;
    }
  }

  private irreversibleEnd(): number {
    const { committed, lastIrreversible } = readStatus(this.tables);
    const last = Math.min(committed?.num ?? 0, lastIrreversible?.num ?? 0);
    return readBlockIndex(this.tables, last)?.endSequence ?? 0;
  }
}

interface LaterActions {
  abis: AbiVersions;
  sequences: readonly number[];
}

/** At least `most` postings of a list within a range, if it has so many. */
function postingsWithin(tables: Tables, prefix: Buffer, { start, end }: ChangedRange, most: number): number[] {
  const floor = floorEntry(tables.postings, chunkKey(prefix, start), LIST_PREFIX_BYTES);
  const range = {
    start: floor ? Buffer.from(floor.key) : chunkKey(prefix, start),
    end: chunkKey(prefix, Math.min(end, MAX_SEQUENCE)),
  };
  const found: number[] = [];
  for (const { key, value } of tables.postings.getRange(range)) {
    const { sequences } = decodeChunk(readSequence(key, LIST_PREFIX_BYTES), value);
    found.push(...sequences.filter((sequence) => sequence >= start && sequence < end));
    if (found.length >= most) break;
  }
  return found;
}

/** The lists of some data fields, which have the actions below a sequence. */
class FieldLists {
  readonly fields: DataFields;
  /** The names of the actions with a field, by contract. */
  readonly actionNames = new Map<string, Set<string>>();
  private readonly kinds: KindAllocator;
  private readonly dataKinds: DataKinds;
  private readonly edits: ListEdits;

  private constructor(
    tables: Tables,
    keys: readonly string[],
    readonly end: number,
  ) {
    this.fields = new DataFields(keys);
    this.kinds = new KindAllocator(tables);
    this.dataKinds = new DataKinds(tables, this.kinds, this.fields);
    this.edits = new ListEdits(tables);
    for (const { contract, action } of keys.flatMap((key) => parseDataField(key) ?? [])) {
      const names = this.actionNames.get(contract) ?? new Set<string>();
      this.actionNames.set(contract, names.add(action));
    }
  }

  /** Those that queries use, whatever fields the program is configured with. */
  static ofIndexed(tables: Tables): FieldLists {
    return new FieldLists(tables, Object.keys(readFact(tables, 'dataFields') ?? {}), Infinity);
  }

  static ofMigration(tables: Tables, { fields, firstDataKind, next }: MigrationFact): FieldLists {
    const lists = new FieldLists(tables, fields, next);
    lists.dataKinds.beginAt(readFact(tables, 'firstBlockNum') ?? 0, firstDataKind);
    return lists;
  }

  remove(action: ActionEntry, blockNum: number, abis: AbiVersions, batch: WriteBatch): void {
    const decoderOf = () => abis.decoderBefore(action.sequence);
    for (const { account, kind } of listsOf(action, this.dataKinds.ofDecoded(action, blockNum, decoderOf, batch)))
      this.edits.remove(account, kind, action.sequence);
  }

  add(action: ActionEntry, blockNum: number, abis: AbiVersions, batch: WriteBatch): void {
    const decoderOf = () => abis.decoderAfter(action.sequence);
    for (const { account, kind } of listsOf(action, this.dataKinds.ofDecoded(action, blockNum, decoderOf, batch)))
      this.edits.add(account, kind, action.sequence, action.root);
  }

  /** Puts the changed lists into the batch. */
  flush(batch: WriteBatch): void {
    this.edits.flush(batch);
    this.kinds.flush(batch);
  }

  /** The batch of the last flush is committed. */
  committed(): void {
    this.kinds.committed();
  }
}

/** As `PostingWriter.addData`: a list of the whole chain, and one of the account that the value names. */
function listsOf({ accounts }: ActionEntry, kinds: readonly DataKind[]): { account: string; kind: number }[] {
  return kinds.flatMap(({ kind, text }) => {
    const ofChain = { account: WHOLE_CHAIN, kind };
    return accounts.includes(text) ? [ofChain, { account: text, kind }] : [ofChain];
  });
}
