import type { BlockPosition } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { type BlockIndexEntry, decodeBlockIndexEntry } from './block-index';
import { blockKey } from './keys';
import type { Snapshot, Tables } from './tables';

/** The facts of the `meta` table; each is one JSON value under its name. */
export interface MetaFacts {
  formatVersion: number;
  /** Whether the lists of further traces exist; absent in a store that an earlier version began. */
  countsTraces: boolean;
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

export function readFact<K extends keyof MetaFacts>(
  tables: Tables,
  fact: K,
  snapshot?: Snapshot,
): MetaFacts[K] | undefined {
  const stored = tables.meta.get(Buffer.from(fact), { transaction: snapshot });
  return stored && (JSON.parse(stored.toString()) as MetaFacts[K]);
}

export function readStatus(tables: Tables, snapshot?: Snapshot): ChainStatus {
  const committed = readFact(tables, 'committed', snapshot);
  return {
    chainId: readFact(tables, 'chainId', snapshot),
    firstBlockNum: readFact(tables, 'firstBlockNum', snapshot),
    committed,
    committedTimestamp: (committed && readBlockIndex(tables, committed.num, snapshot)?.timestamp) || undefined,
    head: readFact(tables, 'head', snapshot),
    lastIrreversible: readFact(tables, 'lastIrreversible', snapshot),
    dataFields: readFact(tables, 'dataFields', snapshot) ?? {},
    revision: readFact(tables, 'revision', snapshot) ?? 0,
  };
}

export function readBlockIndex(tables: Tables, blockNum: number, snapshot?: Snapshot): BlockIndexEntry | undefined {
  const stored = tables.blockIndex.get(blockKey(blockNum), { transaction: snapshot });
  return stored && decodeBlockIndexEntry(stored);
}
