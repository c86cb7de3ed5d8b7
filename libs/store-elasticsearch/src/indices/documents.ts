import type { BlockPosition } from '@antelope-history/schemas';
import type { BlockRange } from './block-ranges';
import type { GenerationField } from './node-generation';

/*
 * The stored documents. Every document of a block has the block's number and id, and a query selects the committed branch by
 * them: documents of orphaned and of not yet committed blocks exist but are never returned. Binary fields are base64. Fields
 * that are not in the mapping (`index-templates.ts`) are in `_source` only.
 *
 * | index                | document          | id                              | version         |
 * | -------------------- | ----------------- | ------------------------------- | --------------- |
 * | `<p>-actions-<n>`    | ActionDocument    | block id's tag, sequence        | sequence, or 1  |
 * | `<p>-blocks-<n>`     | BlockDocument     | block id                        | sequence, or 0  |
 * | `<p>-bodies-<n>`     | BodyDocument      | block id                        | sequence        |
 * | `<p>-abis`           | AbiDocument       | block id's tag, account, seq.   | sequence        |
 * | `<p>-permissions`    | PermissionDocument| block id's tag, owner, name     | sequence        |
 * | `<p>-journal`        | JournalDocument   | sequence                        |                 |
 * | `<p>-progress`       | ProgressDocument  | `progress`                      | compare and set |
 * | `<p>-directory-<n>-<r>` | `directory.ts` | account; `ids-`, range, number  | compare and set |
 *
 * A document with a version is written unless one with the same or a higher version exists (`NewDocument.version`).
 * `<n>` is the first block number of the index's range (`index-names.ts`). Queries search the aliases `<p>-actions`,
 * `<p>-blocks`, `<p>-bodies`, and read documents from hits by `hits.ts`.
 */

/** The block that a document belongs to. */
export interface BlockFields {
  block_num: number;
  block: string;
}

/** What actions are searched by. */
export interface ActionFields extends BlockFields {
  sequence: number;
  /** Every account that received or authorised it. */
  accounts: string[];
  contract: string;
  name: string;
  root: boolean;
  /** The values of its indexed data fields, each as a `dataTerm`, and the `dataMark`. */
  data?: string[];
  /** Only if notified accounts have traces of it, too: who authorized it, and the number of these traces. */
  authorizers?: string[];
  further_traces?: number;
}

/**
 * Where the contents of actions are, which the progress names: in doc values, which the server reads for a few rows much faster than
 * `_source`, or, in a store that an earlier version began, in `_source`. All actions of a store have one layout.
 */
export type ActionLayout = 'doc-values' | 'source';

/** One action with the receipts of all its receivers, in the layout `doc-values`. */
export interface ActionDocument extends ActionFields {
  /** See `action-origin.ts`. */
  origin: string;
  /** See `tallied-action.ts` and `doc-values.ts`. */
  tallied: string | string[];
  /** The packed record, `ActionRecordEncoder`, in one of two fields: `doc-values.ts`. */
  record?: string;
  large_record?: string;
}

/** One action with the receipts of all its receivers, in the layout `source`. */
export interface SourceActionDocument extends ActionFields {
  /** Half-second slots since 2000-01-01. */
  timestamp: number;
  /** The transaction's id in hex, and the sequence that the packed record counts from. */
  transaction: string;
  first_sequence: number;
  /** The packed record, `ActionRecordEncoder`. */
  record: string;
}

/** The facts of a block that queries need to turn bounds into sequences. */
export interface BlockDocument extends BlockFields {
  timestamp: number;
  /** Global sequences of its actions' traces: from `first_sequence` to below `end_sequence`; both 0 when it has none. */
  first_sequence: number;
  end_sequence: number;
  /** Whether the node sent the block: a snapshot's first message has none and is not history. */
  has_block: boolean;
}

/** The block as packed by the node, and its transactions without their actions. */
export interface BodyDocument extends BlockFields {
  /** The packed signed block. */
  packed_block: string;
  generation: GenerationField;
  has_traces: boolean;
  /** Undefined in documents of version 4.1.0 too. */
  action_root: string | undefined;
  /** Packed by `encodeExecution`. */
  execution: string;
}

/** A body with the field that is indexed and not part of the stored source, except in indices of formats before 5. */
export interface NewBodyDocument extends BodyDocument {
  /** The `idTerm` of each transaction; in format 1 the whole id in hex. */
  transactions: string[];
}

/** A body of a format before 5. */
export interface EarlierBodyDocument extends Omit<BodyDocument, 'packed_block' | 'execution'> {
  /** Undefined when the node did not send it. */
  packed_block: string | undefined;
  root_sequences: number[][];
  /** In the order of the block; read by `decodeTransactionRecords`. */
  transaction_records: string;
}

/** A contract's ABI from a global sequence on. */
export interface AbiDocument extends BlockFields {
  account: string;
  /** `AbiChange.sequence`: of two changes of one account in one block the higher is the later. */
  sequence: number;
  /** SHA-256 of the bytes in hex. */
  hash: string;
  abi: string;
}

/** The state of one permission after a block. */
export interface PermissionDocument extends BlockFields {
  owner: string;
  name: string;
  /** Whether the permission was removed: then it has no keys and no actors. */
  removed: boolean;
  /** The `keyTerm` of each key. */
  keys: string[];
  actors: string[];
}

/**
 * A `StreamPosition` with the field names that documents have had since the first format: `session` is the epoch, `ordinal`
 * the sequence.
 */
export interface StoredStreamPosition {
  session: number;
  ordinal: number;
}

/**
 * Records that every document of a message's block is durable. Committers read the journal in the order of the sequences to
 * move the committed head; an entry that the head has passed is deleted.
 */
export interface JournalDocument extends StoredStreamPosition {
  /** Whether the message is the first of its epoch. */
  first: boolean;
  position: BlockPosition;
  previous: BlockPosition | undefined;
  head: BlockPosition;
  last_irreversible: BlockPosition;
  /** Absent in an entry of version 4.1. */
  timestamp?: number;
  has_block: boolean;
  /** Whether the block began the chain or brought its whole state; absent in an entry of an earlier version. */
  whole_state?: boolean;
  first_sequence: number;
  end_sequence: number;
  /** The keys of the data fields that its actions are indexed by; absent if there are none. */
  data_fields?: readonly string[];
  /**
   * For contracts with indexed data fields: the ABIs that the block's data was decoded with, and those that it sets. `rewrites`:
   * `abi_rewrites` of the progress by then; absent in an entry of an earlier version.
   */
  data_abis?: { before: Record<string, string>; after: Record<string, string>; rewrites?: number };
  /** The number of its actions that may have indexed data, and the `dataMark` that they have; absent if there are none. */
  data_mark?: { mark: string; actions: number };
  /** The number of documents of the block. */
  counts: { actions: number; abis: number; permissions: number };
}

/** The ABI that a contract with indexed data fields has from a block on. */
export interface DataAbi {
  contract: string;
  block_num: number;
  /** As in `AbiDocument`. */
  hash: string;
}

/** By which data fields all processes that write blocks index. */
export interface WriterFields {
  /** Ascending. */
  keys: readonly string[];
  /** While writers by other fields may still write, because the write terms that end theirs have not begun: nothing is committed. */
  begin?: true;
}

/** Actions of a contract whose data was decoded with an ABI that a repair replaces. */
export interface StaleData {
  contract: string;
  /** The blocks, up to the last committed one if `last` is absent. */
  first: number;
  last?: number;
}

/** The committed state of the store: the document that decides what queries see. It changes by compare and set on its sequence number. */
export interface ProgressDocument {
  format_version: number;
  /** Random, another one whenever the indices are made or restored; absent in a store that an earlier version began. */
  store_id?: string;
  /** Absent in a store that an earlier version began, which has the layout `source`. */
  action_layout?: ActionLayout;
  blocks_per_index: number;
  /** Absent in a store that an earlier version began: all its ranges have `blocks_per_index` blocks. */
  ranges?: {
    /** The first block numbers of the ranges that begin between two multiples of `blocks_per_index`, ascending. None is removed. */
    starts: readonly number[];
    /** Processes have written blocks below this number only (`block-ranges.ts`). */
    unwritten_from: number;
    /** The first block number of the range with the committed block, and about how many actions the range has. */
    newest?: { first: number; actions: number };
  };
  chain_id: string | undefined;
  /** The first block whose history is stored; actions and blocks below it are being deleted and never returned. */
  first_block_num: number | undefined;
  committed: BlockPosition | undefined;
  /** Of the committed block; absent in a store of version 4.1 and for a block that the node did not send. */
  committed_timestamp?: number | undefined;
  head: BlockPosition | undefined;
  last_irreversible: BlockPosition | undefined;
  revision: number;
  /** The stream position of the newest committed message. */
  view: StoredStreamPosition;
  /** Every committed action has a lower sequence. */
  end_sequence: number;
  /**
   * Up to this block number the indices hold documents of the committed branch only: all others are deleted, and no writer can
   * add one (`write-fence.ts`). It is at most the last irreversible block.
   */
  clean_up_to: number;
  /** The current write term of reversible blocks; absent in a store of version 4.1, which has term 0. */
  write_term?: number;
  /**
   * That of irreversible blocks, which begins only when stored blocks are about to be rewritten, or with other `writer_fields`;
   * absent in a store that an earlier version began, which has term 0.
   */
  history_term?: number;
  /** Whether all actions have `further_traces`; absent in a store that an earlier version began. */
  counts_traces?: boolean;
  /**
   * The newest block that set an ABI, or a later one. True only while `ordinal` is that of `view`: a committer of an earlier
   * version moves the head without it.
   */
  abis_changed?: { block_num: number; ordinal: number };
  /** Incremented before and after stored blocks are rewritten: what was derived from them before may not be relied on. */
  rewrites?: number;
  /**
   * The ids of repairs that are rewriting blocks, or were killed meanwhile: until they end, nothing that is derived from blocks is kept;
   * absent if there are none.
   */
  rewriting?: readonly string[];
  /** What the directory covers (`directory.ts`); nothing unless `rewrites` is the same as above. */
  directory?: {
    rewrites: number;
    /** All blocks of the history below this number. */
    to: number;
    /** The range that a process is adding, and when it began, in milliseconds since 1970. */
    claim?: { range: number; at: number };
  };
  /** Whether the first block came without the state of the chain before it. */
  lacks_state?: true | undefined;
  /** Whether blocks before the first one were removed. */
  has_removed_blocks?: boolean;
  /** By the key of each indexed data field: the first block whose values are indexed; absent if there are none. */
  data_fields?: Readonly<Record<string, number>>;
  /** Absent in a store that an earlier version began, until a writer of this one has opened it. */
  writer_fields?: WriterFields;
  /**
   * Blocks that were lost with an index and that no repair has stored again: the indices of their ranges are not read
   * (`indices/restored-blocks.ts`); absent if there are none.
   */
  unrestored?: readonly BlockRange[];
  /** Incremented before a repair makes lost indices anew. */
  restorations?: number;
  /** In the order of the blocks: for each contract the newest irreversible one and all later ones. */
  data_abis?: readonly DataAbi[];
  /** Incremented when a repair has replaced ABIs: no block joins the branch whose data was decoded before. */
  abi_rewrites?: number;
  /** What the repair has yet to decode again (`stale-data-repair.ts`); absent if there is nothing. */
  stale_data?: readonly StaleData[];
  /** The committed blocks from `clean_up_to` on, ascending: queries list their ids. */
  branch: BlockPosition[];
}
