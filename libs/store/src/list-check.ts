import type { StoredBlockTransaction } from './stored';

/** A run of blocks whose actions or transactions are not all in the lists of a store, or not the only ones. */
export interface ListFault {
  firstBlock: number;
  lastBlock: number;
  /** For people: what was found and what was expected. */
  detail: string;
}

/** A digest of a set, whatever the order of its elements: their number, and the sums of two 32-bit hashes of each. */
export interface SetDigest {
  count: number;
  low: number;
  high: number;
}

/** What the lists must have of a run of blocks; plain numbers, so that an interrupted check can continue. */
export interface ListSection {
  firstBlock: number;
  lastBlock: number;
  /** The global sequences of its actions, from `firstSequence` to below `endSequence`; equal when it has none. */
  firstSequence: number;
  endSequence: number;
  postings: SetDigest;
  transactions: SetDigest;
}

/**
 * Compares the lists by which a store finds actions and transactions with blocks, which `verify` has proved: an action that is
 * missing in a list would be missing in responses although its block has it.
 */
export interface ListCheck {
  /** Expects the actions and transactions of a block. Blocks ascend; those left out are not compared. */
  add(blockNum: number, transactions: readonly StoredBlockTransaction[]): void;
  readonly sections: readonly ListSection[];
  /** Reads all lists. Resolves with the faults in ascending order, or with none when `signal` aborts. */
  compare(signal: AbortSignal): Promise<ListFault[]>;
}

export interface ListCheckOptions {
  /** The most blocks of a section; a fault names the blocks of its section. */
  blocksPerSection: number;
  /** The sections of an interrupted check. */
  sections?: readonly ListSection[];
}
