import type { BlockPosition, View } from '@antelope-history/records';
import type { GenerationField } from './node-generation';

/*
 * What lies in the cluster. Every document of a block carries the block's number and id: a query names the committed branch
 * by them, so what an orphaned or a not yet committed block left is there and yet never seen. Binary fields are base64.
 * Fields that are not in the mapping (`index-templates.ts`) ride in `_source` only.
 *
 * | index                | document          | id                              | version         |
 * | -------------------- | ----------------- | ------------------------------- | --------------- |
 * | `<p>-actions-<n>`    | ActionDocument    | block id's tag, sequence        | view's ordinal  |
 * | `<p>-blocks-<n>`     | BlockDocument     | block id                        | view's ordinal  |
 * | `<p>-bodies-<n>`     | BodyDocument      | block id                        | view's ordinal  |
 * | `<p>-abis`           | AbiDocument       | block id's tag, account, place  | view's ordinal  |
 * | `<p>-permissions`    | PermissionDocument| block id's tag, owner, name     | view's ordinal  |
 * | `<p>-journal`        | JournalDocument   | ordinal                         |                 |
 * | `<p>-progress`       | ProgressDocument  | `progress`                      | compare and set |
 *
 * `<n>` is the first block number of the index's range (`index-names.ts`). Queries go to the aliases `<p>-actions`,
 * `<p>-blocks`, `<p>-bodies`, and take what they found out of the hits by `hits.ts`.
 */

/** Of which block a document is. */
export interface BlockFields {
  block_num: number;
  block: string;
}

/** One action with the receipts of all that received it. */
export interface ActionDocument extends BlockFields {
  sequence: number;
  /** Every account that received or authorised it. */
  accounts: string[];
  contract: string;
  name: string;
  root: boolean;
  /** Half-second slots since 2000-01-01. */
  timestamp: number;
  /** The transaction's id in hex, and the sequence from which its records count. */
  transaction: string;
  first_sequence: number;
  /** The packed record, `encodeActionRecord`. */
  record: string;
}

/** What queries must know of a block to find their way. */
export interface BlockDocument extends BlockFields {
  timestamp: number;
  /** Global sequences of its actions' traces: from `first_sequence` to below `end_sequence`; both 0 when it has none. */
  first_sequence: number;
  end_sequence: number;
  /** Whether it came with its contents: a snapshot's first message has none, and is no history. */
  has_block: boolean;
}

/** The block as packed by the node, and its transactions without their actions. */
export interface BodyDocument extends BlockFields {
  /** Ids of all its transactions, in hex. */
  transactions: string[];
  /** The packed signed block; undefined when it came without. */
  packed_block: string | undefined;
  generation: GenerationField;
  has_traces: boolean;
  root_sequences: number[][];
  /** In the order of the block; packed by `transaction-records.ts`. */
  transaction_records: string;
}

/** A contract's ABI from a place in the chain on. */
export interface AbiDocument extends BlockFields {
  account: string;
  /** `AbiChange.sequence`; among the changes of one account in one block the higher is the later. */
  sequence: number;
  /** SHA-256 of the bytes in hex. */
  hash: string;
  abi: string;
}

/** The state of one permission after a block. */
export interface PermissionDocument extends BlockFields {
  owner: string;
  name: string;
  /** Whether it was removed: then it has no keys and no actors. */
  removed: boolean;
  /** The `keyTerm` of each key. */
  keys: string[];
  actors: string[];
}

/**
 * Says that every document of a message's block is durable. The journal is read in the order of the ordinals to move the
 * committed head, and an entry is deleted when the head has passed it.
 */
export interface JournalDocument extends View {
  /** Whether it is its session's first message. */
  first: boolean;
  position: BlockPosition;
  previous: BlockPosition | undefined;
  head: BlockPosition;
  last_irreversible: BlockPosition;
  has_block: boolean;
  first_sequence: number;
  end_sequence: number;
  /** How many documents of each kind it has. */
  counts: { actions: number; abis: number; permissions: number };
}

/** Where the store stands; the only document that changes, by compare and set on its sequence number. */
export interface ProgressDocument {
  format_version: number;
  blocks_per_index: number;
  chain_id: string | undefined;
  /** The first block whose history is here; what is below of actions and blocks is being deleted and not to be seen. */
  first_block_num: number | undefined;
  committed: BlockPosition | undefined;
  head: BlockPosition | undefined;
  last_irreversible: BlockPosition | undefined;
  revision: number;
  /** The view of the newest committed message. */
  view: View;
  /** No committed action has a sequence at or above it. */
  end_sequence: number;
  /**
   * Up to this block number nothing but the committed branch lies in the indices: what else was there is deleted. At most the
   * last irreversible block.
   */
  clean_up_to: number;
  /** The committed blocks above `clean_up_to`, ascending, and the one at it: the branch that queries name. */
  branch: BlockPosition[];
}
