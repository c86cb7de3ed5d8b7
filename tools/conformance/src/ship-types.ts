import type { JsonValue } from '@antelope-history/json';

/** The types of the state history ABI in the node's JSON forms; only the fields that the comparison reads. */

/** A value of a variant type: its alternative and the value. */
export type Variant<T> = [string, T];

export interface ShipPosition {
  block_num: number;
  block_id: string;
}

export interface ShipResult {
  head: ShipPosition;
  last_irreversible: ShipPosition;
  this_block: ShipPosition | null;
  prev_block: ShipPosition | null;
  /** Hex, like `traces` and `deltas`. */
  block: string | null;
  traces: string | null;
  deltas: string | null;
}

export interface ShipAct {
  account: string;
  name: string;
  authorization: { actor: string; permission: string }[];
  data: string;
}

export interface ShipActionTrace {
  action_ordinal: number;
  creator_action_ordinal: number;
  receipt: Variant<ShipReceipt> | null;
  receiver: string;
  act: ShipAct;
  context_free: number;
  elapsed: JsonValue;
  console: string;
  account_ram_deltas: JsonValue;
  except: JsonValue;
  error_code: JsonValue;
  /** Only in recordings of Leap and later. */
  return_value?: string;
}

export interface ShipReceipt {
  receiver: string;
  act_digest: string;
  global_sequence: number;
  recv_sequence: number;
  auth_sequence: { account: string; sequence: number }[];
  code_sequence: number;
  abi_sequence: number;
}

export interface ShipTransactionTrace {
  id: string;
  status: number;
  cpu_usage_us: number;
  net_usage_words: number;
  action_traces: Variant<ShipActionTrace>[];
  failed_dtrx_trace: Variant<ShipTransactionTrace> | null;
  partial: Variant<ShipTransactionHeader & { signatures: string[] }> | null;
}

export interface ShipTransactionHeader {
  expiration: string;
  ref_block_num: number;
  ref_block_prefix: number;
  max_net_usage_words: number;
  max_cpu_usage_ms: number;
  delay_sec: number;
}

export interface ShipTransaction extends ShipTransactionHeader {
  context_free_actions: ShipAct[];
  actions: ShipAct[];
  transaction_extensions: { type: number; data: string }[];
}

export interface ShipPackedTransaction {
  signatures: string[];
  compression: number;
  packed_context_free_data: string;
  packed_trx: string;
}

export interface ShipSignedBlock {
  timestamp: string;
  producer: string;
  previous: string;
  transaction_mroot: string;
  action_mroot: string;
  schedule_version: number;
  transactions: {
    status: number;
    cpu_usage_us: number;
    net_usage_words: number;
    trx: ['transaction_id', string] | ['packed_transaction', ShipPackedTransaction];
  }[];
}

export interface ShipDelta {
  name: string;
  rows: { present: number; data: string }[];
}

export interface ShipPermission {
  owner: string;
  name: string;
  auth: { keys: { key: string }[]; accounts: { permission: { actor: string } }[] };
}

export interface ShipAccount {
  name: string;
  /** Hex. */
  abi: string;
}

/** A row of `account_metadata`, whose `code` is null without code. */
export interface ShipAccountMetadata {
  name: string;
  code: { code_hash: string } | null;
}

/** The decoded types of the state history ABI, by name. */
export interface ShipTypes {
  result: Variant<ShipResult>;
  signed_block: ShipSignedBlock;
  'transaction_trace[]': Variant<ShipTransactionTrace>[];
  'table_delta[]': Variant<ShipDelta>[];
  account: Variant<ShipAccount>;
  account_metadata: Variant<ShipAccountMetadata>;
  permission: Variant<ShipPermission>;
  transaction: ShipTransaction;
  'bytes[]': string[];
}
