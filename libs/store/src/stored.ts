import type { ActionRecord, NodeGeneration, TransactionRecord } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';

/* What a store returns, in the form from which responses are rendered. */

/** What the store holds and what the node last reported; part of every response, read in the same snapshot as its rows. */
export interface ChainStatus {
  chainId: string | undefined;
  /** Random, another one for each store; absent in one that only earlier versions have written, or began on Elasticsearch. */
  storeId?: string;
  /** The first block whose history is stored; undefined while the store is empty. */
  firstBlockNum: number | undefined;
  /** Present when the first block came without the chain's state before it (`isStateComplete`): permissions and ABIs are incomplete. */
  lacksState?: true;
  /** Present when there were blocks before the first one, which the store removed because it keeps only the newest ones. */
  hasRemovedBlocks?: true;
  /** The newest block that is stored whole: the upper limit of every query. */
  committed: BlockPosition | undefined;
  /** Its time in half-second slots since 2000-01-01; undefined when it is not known. */
  committedTimestamp: number | undefined;
  /** The node's head when it sent the committed block. */
  head: BlockPosition | undefined;
  /** The highest that a committed block came with: a node that lags behind takes none back. */
  lastIrreversible: BlockPosition | undefined;
  /** By the key of each indexed data field (`contract:action.field`): the first block from which its values are indexed. Empty at first. */
  dataFields: Readonly<Record<string, number>>;
  /**
   * Incremented each time a fork is undone: two reads with equal revisions saw the same branch. An embedded store also increments it
   * when blocks are repaired.
   */
  revision: number;
}

/** Whether the store removed the block because it keeps only the newest ones. */
export function isRemovedBlock(
  num: number,
  { hasRemovedBlocks, firstBlockNum = 0 }: Pick<ChainStatus, 'hasRemovedBlocks' | 'firstBlockNum'>,
): boolean {
  return hasRemovedBlocks === true && num < firstBlockNum;
}

/** An action with the fields of its transaction and block that every row of a response shows. */
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
  /** The packed signed_block that holds the transaction's receipt. */
  block: Buffer;
  receiptIndex: number;
  /** The record without its action entries; `actions` has the decoded records in ascending order of global sequence. */
  record: Omit<TransactionRecord, 'actions'>;
  actions: ActionRecord[];
}

/** A block as the node packed it, with the global sequences that order its root actions against ABI changes. */
export interface StoredBlock {
  position: BlockPosition;
  block: Buffer;
  generation: NodeGeneration;
  /** Whether the node sent traces of the block. */
  hasTraces: boolean;
  /** See `BlockRecords.actionRoot`. */
  actionRoot: string | undefined;
  /**
   * Per receipt of the block: the global sequence of each root action (context-free ones first) if its transaction executed
   * in this block; for a receipt that executed nothing, one number: the global sequence of the chain's next action at that
   * point.
   */
  rootSequences: number[][];
}

export interface StoredBlockTransaction {
  record: Omit<TransactionRecord, 'actions'>;
  actions: ActionRecord[];
}

/** Asks for the ABI of a contract that is in force at a position of the chain: before the action with that global sequence. */
export interface AbiRequest {
  account: string;
  blockNum: number;
  sequence: number;
}
