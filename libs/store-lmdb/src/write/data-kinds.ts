import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import { BlockData, type DataFields } from '@antelope-history/data-fields';
import type { ActionEntry, BlockRecords } from '@antelope-history/records';
import { readAbi } from '../format/abi-hash';
import { readFact } from '../format/chain-facts';
import { abiKey, MAX_BLOCK_NUM, MAX_SEQUENCE, NAME_BYTES } from '../format/keys';
import { floorEntry, type Tables } from '../format/tables';
import type { IndexedField, KindAllocator } from './kind-allocator';
import type { WriteBatch } from './write-batch';
import { writeFact } from './write-facts';

/** A list of a value: of the whole chain, and of the account that the value names, as deposits are searched. */
export interface DataKind {
  kind: number;
  text: string;
}

const NONE: readonly DataKind[] = [];

/** A stored action whose lists are searched. */
export type StoredEntry = Pick<ActionEntry, 'account' | 'name' | 'sequence' | 'bytes'>;

/** The data kinds of one block's actions. */
export interface BlockDataKinds {
  kindsOf(action: StoredEntry): readonly DataKind[];
  end(): void;
}

/** Finds the data kinds of actions: the lists of the values that their data has in the indexed fields. */
export class DataKinds {
  /** The ABIs after the last written block, by contract; read from the table when they are first needed. */
  private readonly decoders = new Map<string, AbiDecoder | undefined>();
  /** By the hash of the ABI: undoing a block asks once per action. */
  private readonly stored = new Map<string, { decoder: AbiDecoder | undefined }>();
  /** By the key of the field; read from the store when they are first needed. */
  private indexed: ReadonlyMap<string, IndexedField> | undefined;

  constructor(
    private readonly tables: Tables,
    private readonly kinds: KindAllocator,
    private readonly fields: DataFields,
  ) {}

  /** Notes from which block on the fields are indexed; a field that is no longer indexed is forgotten. */
  begin(firstBlock: number, batch: WriteBatch): void {
    const stored = readFact(this.tables, 'dataFields') ?? {};
    const isChanged =
      this.fields.keys.length !== Object.keys(stored).length ||
      this.fields.keys.some((key) => stored[key] === undefined);
    if (!isChanged) return;
    const firstKinds = readFact(this.tables, 'firstDataKinds') ?? {};
    const next = this.kinds.dataKindCount;
    const indexed = this.fields.keys.map((field): IndexedField => {
      const from = stored[field];
      return from === undefined
        ? { field, from: firstBlock, first: next }
        : { field, from, first: firstKinds[field] ?? 0 };
    });
    this.indexed = new Map(indexed.map((each) => [each.field, each]));
    const factOf = (name: 'from' | 'first') => Object.fromEntries(indexed.map((each) => [each.field, each[name]]));
    writeFact(this.tables, 'dataFields', factOf('from'), batch);
    writeFact(this.tables, 'firstDataKinds', factOf('first'), batch);
  }

  /** All fields are indexed from a block on, in lists whose kinds are not below `first`, whatever the store says. */
  beginAt(from: number, first: number): void {
    this.indexed = new Map(this.fields.keys.map((field) => [field, { field, from, first }]));
  }

  /** Call it for the blocks in their order, and `end` when the kinds of all its actions were asked for. */
  ofBlock(block: BlockRecords, batch: WriteBatch): BlockDataKinds {
    const data = new BlockData(this.fields, block, (contract) => this.decoderOf(contract));
    return {
      kindsOf: (action) => this.kindsOf(data, action, batch, block.position.num),
      end: () => {
        for (const contract of this.fields.contracts) {
          const changed = data.changedTo(contract);
          if (changed) this.decoders.set(contract, changed.decoder);
        }
      },
    };
  }

  /** The data kinds of an action of a stored block, to remove it from their lists or to add it to new ones. */
  ofStored(action: StoredEntry, blockNum: number, batch: WriteBatch): readonly DataKind[] {
    const decoderOf = (contract: string) => this.storedDecoder(contract, blockNum, Math.max(0, action.sequence - 1));
    return this.ofDecoded(action, blockNum, decoderOf, batch);
  }

  /** The data kinds of an action of a block by the decoder that is given for its contract. */
  ofDecoded(
    action: StoredEntry,
    blockNum: number,
    decoderOf: (contract: string) => AbiDecoder | undefined,
    batch: WriteBatch,
  ): readonly DataKind[] {
    if (this.fields.of(action.account, action.name).length === 0) return NONE;
    return this.kindsOf(new BlockData(this.fields, { abiChanges: [] }, decoderOf), action, batch, blockNum);
  }

  /** Drops cached state after an undone fork or a failed batch. */
  forget(): void {
    this.decoders.clear();
    this.stored.clear();
    this.indexed = undefined;
  }

  /**
   * `blockNum`: the block of the action, which is in no list of a field that is indexed from a later block on. A fork can begin below that
   * block, and undoing it removes actions from the lists that they are in by this rule.
   */
  private kindsOf(data: BlockData, action: StoredEntry, batch: WriteBatch, blockNum: number): readonly DataKind[] {
    const values = data.of(action);
    if (values.length === 0) return NONE;
    const kinds: DataKind[] = [];
    for (const { field, text } of values) {
      const indexed = this.indexedField(field.key);
      if (indexed && indexed.from <= blockNum) kinds.push({ kind: this.kinds.dataKindOf(indexed, text, batch), text });
    }
    return kinds;
  }

  private indexedField(key: string): IndexedField | undefined {
    this.indexed ??= readIndexedFields(this.tables);
    return this.indexed.get(key);
  }

  private decoderOf(contract: string): AbiDecoder | undefined {
    if (!this.decoders.has(contract)) {
      this.decoders.set(contract, this.storedDecoder(contract, MAX_BLOCK_NUM, MAX_SEQUENCE));
    }
    return this.decoders.get(contract);
  }

  private storedDecoder(contract: string, blockNum: number, sequence: number): AbiDecoder | undefined {
    const entry = floorEntry(this.tables.abis, abiKey(contract, blockNum, sequence), NAME_BYTES);
    if (!entry) return undefined;
    const hash = Buffer.from(entry.value);
    const name = hash.toString('latin1');
    let stored = this.stored.get(name);
    if (!stored) {
      const abi = readAbi(this.tables.abiBodies, hash);
      this.stored.set(name, (stored = { decoder: abi && createAbiDecoder(abi) }));
    }
    return stored.decoder;
  }
}

function readIndexedFields(tables: Tables): ReadonlyMap<string, IndexedField> {
  const firstKinds = readFact(tables, 'firstDataKinds') ?? {};
  const fromBlocks = Object.entries(readFact(tables, 'dataFields') ?? {});
  return new Map(fromBlocks.map(([field, from]) => [field, { field, from, first: firstKinds[field] ?? 0 }]));
}
