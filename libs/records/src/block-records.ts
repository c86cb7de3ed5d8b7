import type { BlockPosition } from '@antelope-history/schemas';

/**
 * A stream position: the order of a message among all messages of all readers. A reader begins an epoch each time it
 * continues from the store's committed position. The messages of an epoch have consecutive sequences; the first sequence
 * equals the epoch, and the parent of a block precedes it. Later epochs have higher sequences, so of two messages with the
 * same block number the one with the higher sequence is newer.
 */
export interface StreamPosition {
  epoch: number;
  sequence: number;
}

/**
 * The nodes whose JSON the responses about a block follow, where nodes differ: EOSIO 2.0 leaves out fields that all later
 * ones have. `eosio-2.1+` stands for EOSIO 2.1, Leap and Spring: nodes whose SHiP ABI has `action_trace_v1`.
 */
export type NodeGeneration = 'eosio-2.0' | 'eosio-2.1+';

/** A SHiP result as the reader publishes it: the node's ABI text frame and the bytes of the message. */
export interface RawBlock {
  abi: string;
  message: Buffer;
  /** The chain id that the node reports; EOSIO 2.0 reports none. */
  chainId: string | undefined;
  streamPosition: StreamPosition;
}

/** A block of records: the contents of one SHiP result in the form that the indexer writes to the store. */
export interface BlockRecords {
  chainId: string | undefined;
  streamPosition: StreamPosition;
  /** The node's head and last irreversible block when it sent the result. */
  head: BlockPosition;
  lastIrreversible: BlockPosition;
  position: BlockPosition;
  /** Undefined at genesis and for the first block of a node that was started from a snapshot. */
  previous: BlockPosition | undefined;
  /** The packed signed_block; undefined when the node had none (the first message after a snapshot). */
  block: Buffer | undefined;
  /** Half-second slots since 2000-01-01 (`block_timestamp_type`); 0 without `block`. */
  timestamp: number;
  generation: NodeGeneration;
  /** Whether the node sent traces; it has none for block 1. */
  hasTraces: boolean;
  /** Root of the receipts of the block's actions if the node sent finality data, in hex; see `ProvableBlock.actionRoot`. */
  actionRoot: string | undefined;
  /** Per receipt of the block, see `StoredBlock.rootSequences` of `@antelope-history/store`. */
  rootSequences: number[][];
  /** The executed transactions in the order of the block; each has at least one action. */
  transactions: TransactionRecord[];
  abiChanges: AbiChange[];
  /** At most one of each permission: its state after the block. */
  permissionChanges: PermissionChange[];
}

/** An executed transaction (the SHiP status of its outermost trace is executed). */
export interface TransactionRecord {
  /** 32 bytes. */
  id: Buffer;
  /** Index of its receipt in the block; -1 without a receipt (`onblock`). */
  receiptIndex: number;
  /** Status of the block's receipt: 0 executed, 1 soft_fail (then the actions are those of `onerror`). */
  status: number;
  cpuUsageUs: number;
  netUsageWords: number;
  /** The lowest global sequence of its action traces; action records store sequences relative to it. */
  firstSequence: number;
  /** Number of global sequences of its traces, contiguous from `firstSequence`. */
  sequenceCount: number;
  /**
   * The id, header and signatures that the trace API shows, for transactions whose receipt in the block does not contain them
   * (`onblock`, deferred); undefined for all others.
   */
  partial: PartialTransaction | undefined;
  actions: ActionEntry[];
}

export interface PartialTransaction {
  /** The id that the trace API shows: for soft_fail that of the failed deferred transaction, else the transaction's own. */
  id: string;
  expiration: number;
  refBlockNum: number;
  refBlockPrefix: number;
  maxNetUsageWords: number;
  maxCpuUsageMs: number;
  delaySec: number;
  /** Packed signatures, each with its type tag. */
  signatures: Buffer[];
}

/** The indexed fields of an action, and its packed record (see `decodeActionRecord`). */
export interface ActionEntry {
  /** Global sequence of the contract's own receipt; it orders the actions of the whole chain. */
  sequence: number;
  account: string;
  name: string;
  /** Whether it was not created by another action (creator ordinal 0). */
  root: boolean;
  /** Every account that received or authorised the action, each once. */
  accounts: string[];
  bytes: Buffer;
}

/** The ABI of a contract from a position of the chain on. */
export interface AbiChange {
  account: string;
  /** Global sequence of the setabi action; 0 = in force from the beginning of the block (genesis, snapshot). */
  sequence: number;
  /** Unvalidated bytes: the chain accepts any; empty = no ABI. */
  abi: Buffer;
}

/** The state of one permission after a block; `authority` is undefined when the permission was removed. */
export interface PermissionChange {
  owner: string;
  name: string;
  authority: Authority | undefined;
}

/** The parts of an authority by which accounts are queried. */
export interface Authority {
  /** Canonical key bytes: the type tag and the packed key. */
  keys: Buffer[];
  /** The actors of its account permissions. */
  actors: string[];
}
