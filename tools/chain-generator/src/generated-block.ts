import type { ActContent, ReceiptContent } from './digests';
import type { ChainState } from './chain-state';
import type { FinalityContent } from './finality';

/** What an action is before it runs: the generator knows its data, packed and as JSON. */
export interface ActionSpec extends ActContent {
  /** The data as nodes print them; undefined where no ABI decodes them. */
  json: unknown;
  /** Accounts that the contract notifies, each with the actions that it sends in turn. */
  notified?: { receiver: string; inline?: ActionSpec[] }[];
  /** Actions that the contract sends. */
  inline?: ActionSpec[];
  returnValue?: { packed: Buffer; json: unknown };
  console?: string;
  ramDeltas?: { account: string; delta: number }[];
  /** What the action changes in the state of the chain, before its receipt is made. */
  effect?: (state: ChainState) => void;
}

/** An action as one account received it. */
export interface ExecutedTrace {
  action: ExecutedAction;
  ordinal: number;
  creatorOrdinal: number;
  /** The ordinal of the nearest creator that is not a notification. */
  unnotifiedAncestorOrdinal: number;
  receiver: string;
  contextFree: boolean;
  receipt: ReceiptContent;
}

/** An action with its traces, the contract's own first. */
export interface ExecutedAction {
  spec: ActionSpec;
  traces: ExecutedTrace[];
}

export interface TransactionHeader {
  /** `2026-01-01T00:00:30`. */
  expiration: string;
  ref_block_num: number;
  ref_block_prefix: number;
  max_net_usage_words: number;
  max_cpu_usage_ms: number;
  delay_sec: number;
}

/** A transaction that the block carries packed. */
export interface SignedTransaction {
  header: TransactionHeader;
  signatures: string[];
  compression: 'none' | 'zlib';
  packedContextFreeData: Buffer;
  packedTransaction: Buffer;
  contextFreeData: Buffer[];
  contextFreeActions: ActionSpec[];
  actions: ActionSpec[];
}

export type TransactionStatus = 'executed' | 'delayed' | 'expired';

export interface GeneratedTransaction {
  id: string;
  status: TransactionStatus;
  cpuUsageUs: number;
  netUsageWords: number;
  /** Undefined for `onblock`, and for a deferred transaction, which the block names only. */
  signed: SignedTransaction | undefined;
  /** The implicit transaction that opens a block; it has no receipt in it. */
  isOnblock: boolean;
  /** In the order of their ordinals. */
  traces: ExecutedTrace[];
  /** By global sequence. */
  executed: ExecutedAction[];
}

/** A block of the tree with everything that the chain did in it. */
export interface GeneratedBlock {
  num: number;
  id: string;
  /** Undefined for the first block of the chain. */
  parent: GeneratedBlock | undefined;
  /** Half seconds since 2000. */
  slot: number;
  producer: string;
  previousId: string;
  confirmed: number;
  transactionRoot: Buffer;
  /** In the header; since Savanna it is the root of finality. */
  actionRoot: Buffer;
  scheduleVersion: number;
  finality: FinalityContent | undefined;
  producerSignature: string;
  /** `onblock` first. */
  transactions: GeneratedTransaction[];
  packedHeader: Buffer;
  packedBlock: Buffer;
  /** The number of the last irreversible block that the block led to. */
  lastIrreversible: number;
  /** After the block. */
  state: ChainState;
  /** The `get_blocks_result` that a node sends for it. */
  message: Buffer;
}
