import type { BlockPosition } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { type BlockIndexEntry, decodeBlockIndexEntry } from './block-index';
import { blockKey } from './keys';
import type { Snapshot, Tables } from './tables';

/** The facts of the `meta` table; each is one JSON value under its name. */
export interface MetaFacts {
  formatVersion: number;
  /** Random; absent in a store that only earlier versions have written. */
  storeId: string;
  /** Whether a commit was lost, so that blocks are missing. */
  isDamaged: boolean;
  /** Whether the lists of further traces exist; absent in a store that an earlier version began. */
  countsTraces: boolean;
  /** Whether blocks were removed, so that a list's first chunk may have postings before it. */
  hasShortenedLists: boolean;
  /** Whether the first block came without the state of the chain before it. */
  lacksState: boolean;
  /** By key of each indexed data field: the first block whose values are indexed. */
  dataFields: Record<string, number>;
  /**
   * By key of an indexed data field: the number of data kinds when it was begun. A value whose kind is lower has no list yet: that
   * kind's list is from an earlier time with the field, and forks since then did not cut it. Absent for fields that were begun by
   * a version that did not note it: 0.
   */
  firstDataKinds: Record<string, number>;
  /** How far the lists are that an unfinished migration writes. */
  migration: MigrationFact;
  /** Number of kinds from `FIRST_DATA_KIND` on. */
  dataKinds: number;
  chainId: string;
  firstBlockNum: number;
  committed: BlockPosition;
  head: BlockPosition;
  lastIrreversible: BlockPosition;
  revision: number;
  /** The sequence of the newest message whose block was written; absent in a store that an earlier version wrote last. */
  sequence: number;
}

export interface MigrationFact {
  /** Whether it writes the lists of further traces. */
  traces: boolean;
  /** The data fields whose lists it writes, from the first block on. */
  fields: string[];
  /** The number of data kinds when it began, which becomes that of its fields in `firstDataKinds`. */
  firstDataKind: number;
  /** The sequence of the first action that it has not added yet. */
  next: number;
}

/** Reads a fact; undefined where it is not stored. */
export type ReadFact = <K extends keyof MetaFacts>(
  tables: Tables,
  fact: K,
  snapshot?: Snapshot,
) => MetaFacts[K] | undefined;

export const readFact: ReadFact = (tables, fact, snapshot) => {
  const stored = tables.meta.get(Buffer.from(fact), { transaction: snapshot });
  return stored && (parseFact(stored) as MetaFacts[typeof fact]);
};

function parseFact(stored: Buffer): unknown {
  return JSON.parse(stored.toString());
}

/**
 * Returns a `readFact` that parses a fact only when its bytes differ from those of its last call: each query reads nine facts,
 * of which a commit changes three or four. Callers must not change the values.
 */
export function createFactReader(): ReadFact {
  const known = new Map<string, { key: Buffer; stored: Buffer | undefined; value: unknown }>();
  return <K extends keyof MetaFacts>(tables: Tables, fact: K, snapshot?: Snapshot) => {
    let last = known.get(fact);
    if (!last) known.set(fact, (last = { key: Buffer.from(fact), stored: undefined, value: undefined }));
    const stored = tables.meta.get(last.key, { transaction: snapshot });
    if (stored && last.stored?.equals(stored)) return last.value as MetaFacts[K];
    // A copy, because a later read may use the memory of this one again.
    last.stored = stored && Buffer.from(stored);
    last.value = stored && parseFact(stored);
    return last.value as MetaFacts[K] | undefined;
  };
}

export function readStatus(tables: Tables, snapshot?: Snapshot, read: ReadFact = readFact): ChainStatus {
  const committed = read(tables, 'committed', snapshot);
  const storeId = read(tables, 'storeId', snapshot);
  return {
    chainId: read(tables, 'chainId', snapshot),
    ...(storeId !== undefined && { storeId }),
    firstBlockNum: read(tables, 'firstBlockNum', snapshot),
    ...(read(tables, 'hasShortenedLists', snapshot) && { hasRemovedBlocks: true as const }),
    ...(read(tables, 'lacksState', snapshot) && { lacksState: true as const }),
    committed,
    committedTimestamp: (committed && readBlockIndex(tables, committed.num, snapshot)?.timestamp) || undefined,
    head: read(tables, 'head', snapshot),
    lastIrreversible: read(tables, 'lastIrreversible', snapshot),
    dataFields: read(tables, 'dataFields', snapshot) ?? {},
    revision: read(tables, 'revision', snapshot) ?? 0,
  };
}

export function readBlockIndex(tables: Tables, blockNum: number, snapshot?: Snapshot): BlockIndexEntry | undefined {
  const stored = tables.blockIndex.get(blockKey(blockNum), { transaction: snapshot });
  return stored && decodeBlockIndexEntry(stored);
}
