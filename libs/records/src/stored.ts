import type { NodeGeneration } from '@antelope-history/ship';
import type { ActionRecord } from './action-record';
import type { BlockPosition, TransactionRecord } from './block-records';

/** What a store gives back, in the form in which the answers are made of it. */

/** What the store holds and what the node last said; part of every answer, read in the same snapshot as its rows. */
export interface ChainStatus {
  chainId: string | undefined;
  /** The first block whose history is here; undefined while the store is empty. */
  firstBlockNum: number | undefined;
  /** The newest block of which everything is here: the limit of every query. */
  committed: BlockPosition | undefined;
  /** The node's head when it sent its last message. */
  head: BlockPosition | undefined;
  lastIrreversible: BlockPosition | undefined;
  /** Grows with every fork that was undone: two reads with equal revisions saw the same branch. */
  revision: number;
}

/** An action as the store gives it back, with the facts of its transaction and block that every row shows. */
export interface StoredAction {
  action: ActionRecord;
  transactionId: string;
  blockNum: number;
  blockId: string;
  /** Half-second slots since 2000-01-01. */
  blockTimestamp: number;
}

export interface StoredTransaction {
  id: string;
  blockNum: number;
  blockId: string;
  blockTimestamp: number;
  /** The packed signed_block that holds its receipt. */
  block: Buffer;
  receiptIndex: number;
  /** The record without its entries; `actions` has the decoded records in the order of their sequences. */
  record: Omit<TransactionRecord, 'actions'>;
  actions: ActionRecord[];
}

/** A block as the node packed it, with the sequences that place its root actions among ABI changes. */
export interface StoredBlock {
  position: BlockPosition;
  block: Buffer;
  generation: NodeGeneration;
  /** Whether the node sent traces of it. */
  hasTraces: boolean;
  /**
   * Per receipt of the block: the global sequence of each root action (context-free ones first) if it ran in this
   * block; for receipts that ran nothing, one number: the sequence that the next action of the chain had then.
   */
  rootSequences: number[][];
}

export interface StoredBlockTransaction {
  record: Omit<TransactionRecord, 'actions'>;
  actions: ActionRecord[];
}

/** A place in the chain at which a contract's ABI is wanted: just before the action with that global sequence. */
export interface AbiRequest {
  account: string;
  blockNum: number;
  sequence: number;
}
