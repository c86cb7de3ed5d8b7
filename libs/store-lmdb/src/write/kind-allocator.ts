import type { ActionFilter } from '@antelope-history/store';
import { ALL_KINDS, FIRST_DATA_KIND } from '../format/action-kinds';
import { readFact } from '../format/chain-facts';
import { blockKey, dataKindKey, dataValueName, kindKey } from '../format/keys';
import type { Tables } from '../format/tables';
import type { WriteBatch } from './write-batch';
import { writeFact } from './write-facts';

/** The three kinds that an action is of. */
export interface ActionKinds {
  exact: number;
  anyName: number;
  anyContract: number;
}

/** A data field, the first block whose values are indexed, and the first data kind of its lists. */
export interface IndexedField {
  field: string;
  from: number;
  first: number;
}

/** The most kinds that are cached: the number of action names that a contract can invent has no limit. */
const MAX_KNOWN = 200_000;

/** Allocates kinds while writing. Kinds are never freed: an undone fork leaves at most unused ones. */
export class KindAllocator {
  private readonly known = new Map<string, Map<string, ActionKinds>>();
  /** The kinds that the current batch allocates, by their keys. */
  private readonly allocated = new Map<string, number>();
  private knownCount = 0;
  /** By the key of the field and the text: a writer has one range of blocks per field. */
  private readonly knownData = new Map<string, Map<string, number>>();
  private knownDataCount = 0;
  private next: number;
  private dataKinds: number;
  private hasNewDataKinds = false;

  constructor(private readonly tables: Tables) {
    this.next = nextKind(tables);
    this.dataKinds = readFact(tables, 'dataKinds') ?? 0;
  }

  /** The kinds of an action; writes new ones into the batch. */
  kindsOf(account: string, name: string, batch: WriteBatch): ActionKinds {
    let names = this.known.get(account);
    if (!names) this.known.set(account, (names = new Map<string, ActionKinds>()));
    let kinds = names.get(name);
    if (!kinds) {
      kinds = {
        exact: this.kind({ account, name }, batch),
        anyName: this.kind({ account }, batch),
        anyContract: this.kind({ name }, batch),
      };
      names.set(name, kinds);
      this.knownCount++;
    }
    return kinds;
  }

  /** Number of data kinds, with those of the current batch. */
  get dataKindCount(): number {
    return this.dataKinds;
  }

  /**
   * The kind of a data field's value; writes a new one into the batch. See `dataValueName`, and `firstDataKinds` of the facts for
   * `first`.
   */
  dataKindOf({ field, from, first }: IndexedField, text: string, batch: WriteBatch): number {
    let known = this.knownData.get(field);
    if (!known) this.knownData.set(field, (known = new Map<string, number>()));
    let kind = known.get(text);
    if (kind !== undefined) return kind;
    const key = dataKindKey(dataValueName(field, from, text));
    kind = this.tables.kinds.get(key)?.readUInt32BE(0);
    if (kind === undefined || kind < FIRST_DATA_KIND + first) {
      kind = FIRST_DATA_KIND + this.dataKinds++;
      this.hasNewDataKinds = true;
      batch.put(this.tables.kinds, key, blockKey(kind));
    }
    known.set(text, kind);
    this.knownDataCount++;
    return kind;
  }

  /** Puts the number of data kinds into the batch if it has changed. */
  flush(batch: WriteBatch): void {
    if (this.hasNewDataKinds) writeFact(this.tables, 'dataKinds', this.dataKinds, batch);
    this.hasNewDataKinds = false;
  }

  /** The batch is committed. */
  committed(): void {
    this.allocated.clear();
    if (this.knownCount > MAX_KNOWN || this.knownDataCount > MAX_KNOWN) this.forget();
  }

  /** Drops the cache: the batch failed, or the cache is too large. */
  forget(): void {
    this.known.clear();
    this.knownCount = 0;
    this.allocated.clear();
    this.knownData.clear();
    this.knownDataCount = 0;
    this.next = nextKind(this.tables);
    this.dataKinds = readFact(this.tables, 'dataKinds') ?? 0;
    this.hasNewDataKinds = false;
  }

  private kind(filter: ActionFilter, batch: WriteBatch): number {
    const key = kindKey(filter);
    const text = key.toString('latin1');
    const stored = this.allocated.get(text) ?? this.tables.kinds.get(key)?.readUInt32BE(0);
    if (stored !== undefined) return stored;
    const kind = this.next++;
    this.allocated.set(text, kind);
    batch.put(this.tables.kinds, key, blockKey(kind));
    batch.put(this.tables.kindNames, blockKey(kind), key);
    return kind;
  }
}

function nextKind(tables: Tables): number {
  for (const key of tables.kindNames.getKeys({ reverse: true, limit: 1 })) return key.readUInt32BE(0) + 1;
  return ALL_KINDS + 1;
}
