/** What travels from the deserializer to the indexer and lies in the store: a block taken apart into records. */

/** A block's number and its id as 64 lowercase hex digits. */
export interface BlockPosition {
  num: number;
  id: string;
}

/**
 * Where a message stands among all that readers sent. A reader begins a session each time it goes on from the store's own
 * record; its messages have consecutive ordinals, the first of them the session's own number, and each follows one before it.
 * Later sessions have higher ordinals, so of two views of a block number the higher ordinal is the later.
 */
export interface View {
  session: number;
  ordinal: number;
}

/**
 * The nodes whose JSON the responses about a block follow, where nodes differ: EOSIO 2.0 leaves out fields that all later
 * ones have. `eosio-2.1+` stands for EOSIO 2.1, Leap and Spring: nodes whose SHiP ABI has `action_trace_v1`.
 */
export type NodeGeneration = 'eosio-2.0' | 'eosio-2.1+';

/** A raw SHiP result as the reader passes it on: the node's ABI text frame, and the message's own bytes. */
export interface RawBlock {
  abi: string;
  message: Buffer;
  /** The chain that the node said it is on; EOSIO 2.0 does not say. */
  chainId: string | undefined;
  view: View;
}

/** A block of records: everything that one SHiP result said, ready to be written. */
export interface BlockRecords {
  chainId: string | undefined;
  view: View;
  /** The node's head and last irreversible block when it sent the result. */
  head: BlockPosition;
  lastIrreversible: BlockPosition;
  position: BlockPosition;
  /** Absent at genesis and for the first block of a node that was started from a snapshot. */
  previous: BlockPosition | undefined;
  /** The packed signed_block; absent when the node had none (a snapshot's first message). */
  block: Buffer | undefined;
  /** Seconds are not enough: half-second slots since 2000-01-01 (`block_timestamp_type`); 0 when there is no block. */
  timestamp: number;
  generation: NodeGeneration;
  /** Whether the node sent traces: it has none of block 1. */
  hasTraces: boolean;
  /** Per receipt of the block, see `StoredBlock.rootSequences`. */
  rootSequences: number[][];
  /** The transactions that took effect, in the order of the block; each has at least one action. */
  transactions: TransactionRecord[];
  abiChanges: AbiChange[];
  permissionChanges: PermissionChange[];
}

/** A transaction that took effect (SHiP status executed at the outer level). */
export interface TransactionRecord {
  /** 32 bytes. */
  id: Buffer;
  /** Its place among the block's receipts; -1 for one that has no receipt there (`onblock`). */
  receiptIndex: number;
  /** Status of the block's receipt, see `TRANSACTION_STATUS`: executed, or soft_fail (then the actions are onerror's). */
  status: number;
  cpuUsageUs: number;
  netUsageWords: number;
  /** The lowest global sequence of its action traces; action records count from it. */
  firstSequence: number;
  /** How many global sequences its traces take; they are contiguous from `firstSequence`. */
  sequenceCount: number;
  /**
   * The id, header and signatures that the trace API shows for it, where the block's own receipt does not carry them
   * (`onblock`, deferred): undefined otherwise.
   */
  partial: PartialTransaction | undefined;
  actions: ActionEntry[];
}

export interface PartialTransaction {
  /** The id shown by the trace API: the failed deferred transaction's for soft_fail, else the transaction's own. */
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

/** What a store must know of an action to index it, and the record's bytes (`encodeActionRecord`). */
export interface ActionEntry {
  /** Global sequence of the contract's own receipt: the order of all history. */
  sequence: number;
  account: string;
  name: string;
  /** Whether nothing created it (creator ordinal 0). */
  root: boolean;
  /** Every account that received or authorised it, each once. */
  accounts: string[];
  bytes: Buffer;
}

/** A contract's ABI from a place in the chain on. */
export interface AbiChange {
  account: string;
  /** The global sequence of the setabi action that set it; 0 = from the block's beginning (genesis, snapshot). */
  sequence: number;
  /** Any bytes at all: a contract may set garbage; empty = no ABI. */
  abi: Buffer;
}

/** The new state of one permission after a block; `authority` (packed) is undefined when it was removed. */
export interface PermissionChange {
  owner: string;
  name: string;
  authority: Authority | undefined;
}

/** The parts of an authority by which accounts are looked up. */
export interface Authority {
  /** Canonical key bytes: the type tag and the packed key. */
  keys: Buffer[];
  /** The actors of its account permissions. */
  actors: string[];
}
