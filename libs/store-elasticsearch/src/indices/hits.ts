import type { NodeGeneration, TransactionHeader } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { FoundHit, Hit, Search } from '../client/search';
import { decodeOrigin } from './action-origin';
import {
  decodeExecution,
  decodeListed,
  decodeRootSequences,
  decodeTransactionRecords,
  decodeTransactionsOf,
  type ListedTransaction,
} from './block-execution';
import type { ActionFields, ActionLayout, BodyDocument, EarlierBodyDocument, SourceActionDocument } from './documents';
import { textOf } from './doc-values';
import { fromGenerationField } from './node-generation';
import { decodeTallied, type TalliedAction } from './tallied-action';

/*
 * How a search requests document contents and how they are read from a hit. Queries use only these functions, so the stored
 * layout can change without them.
 */

/** What queries read of an action. */
export interface FoundAction {
  sequence: number;
  blockNum: number;
  block: string;
  /** Half-second slots since 2000-01-01. */
  timestamp: number;
  /** The transaction's id in hex, and the sequence that the packed record counts from. */
  transaction: string;
  firstSequence: number;
  record: Buffer;
}

const SOURCE_FIELDS = ['sequence', 'block_num', 'block', 'timestamp', 'transaction', 'first_sequence', 'record'];
const DOC_VALUES = ['origin', 'record', 'large_record'];

/**
 * The part of a search's body that requests doc values and nothing else. Ids are stored fields, too: without them the server unpacks
 * none, which saves a quarter of the time of a small search.
 */
export function fetchDocValues(...fields: string[]): { docvalue_fields: string[]; stored_fields: string } {
  return { docvalue_fields: fields, stored_fields: '_none_' };
}

/** The part of a search's body that requests whole actions; `withId`: and the ids of their documents. */
export function fetchAction(layout: ActionLayout, withId: boolean): Search['fetch'] {
  if (layout === 'source') return { _source: SOURCE_FIELDS };
  return withId ? { docvalue_fields: DOC_VALUES } : fetchDocValues(...DOC_VALUES);
}

/** The action of a hit that was requested with `fetchAction` and is sorted by its sequence alone. */
export function actionOf({ _source: source, fields, sort }: FoundHit): FoundAction {
  if (source) return fromSource(source as SourceActionDocument);
  const [origin] = (fields?.['origin'] ?? []) as string[];
  const record = recordIn(fields);
  const [sequence] = sort;
  if (origin === undefined || record === undefined || sequence === undefined) throw withoutContents();
  const { transaction, ...rest } = decodeOrigin(origin);
  return { ...rest, sequence, transaction: transaction.toString('hex'), record: Buffer.from(record, 'base64') };
}

/** What is read of an action when the block is known: the rest follows from its transactions. */
export interface FoundRecord {
  sequence: number;
  record: Buffer;
}

/** The part of a search's body that requests the records of actions and nothing else. */
export function fetchRecord(layout: ActionLayout): Search['fetch'] {
  return layout === 'source' ? { _source: ['record'] } : fetchDocValues('record', 'large_record');
}

/** The record of a hit that was requested with `fetchRecord` and is sorted by its sequence alone. */
export function recordOf({ _source: source, fields, sort }: FoundHit): FoundRecord {
  const text = source ? (source as SourceActionDocument).record : recordIn(fields);
  const [sequence] = sort;
  if (text === undefined || sequence === undefined) throw withoutContents();
  return { sequence, record: Buffer.from(text, 'base64') };
}

/** Before `large_record` was added, a large record had several terms in `record`. */
function recordIn(fields: Hit['fields']): string | undefined {
  const values = (fields?.['record'] ?? fields?.['large_record']) as string[] | undefined;
  return values && textOf(values);
}

const TALLIED_FIELDS = ['accounts', 'contract', 'name', 'authorizers', 'further_traces'];

/** The part of a search's body that requests what is tallied of actions. */
export function fetchTallied(layout: ActionLayout): Search['fetch'] {
  return layout === 'source' ? { _source: TALLIED_FIELDS } : fetchDocValues('tallied');
}

/** What is tallied of the action of a hit that was requested with `fetchTallied`. */
export function talliedIn({ _source: source, fields }: Hit): TalliedAction {
  if (source) {
    const { accounts, contract, name, authorizers = [], further_traces: furtherTraces = 0 } = source as ActionFields;
    return { accounts, contract, name, authorizers, furtherTraces };
  }
  const values = fields?.['tallied'] as string[] | undefined;
  if (!values) throw withoutContents();
  return decodeTallied(textOf(values));
}

function fromSource(source: SourceActionDocument): FoundAction {
  return {
    sequence: source.sequence,
    blockNum: source.block_num,
    block: source.block,
    timestamp: source.timestamp,
    transaction: source.transaction,
    firstSequence: source.first_sequence,
    record: Buffer.from(source.record, 'base64'),
  };
}

/** The index was made with another mapping, or by hand. */
function withoutContents(): HistoryError {
  return new HistoryError(
    'STORE_REFUSED',
    'an action in Elasticsearch has no contents: its index has a foreign mapping',
  );
}

/** The part of a search's body that requests whole bodies. */
export const FETCH_BODY = { _source: true } as const;

/** What queries read of a body; its transactions are decoded when they are used. */
export interface FoundBody extends FoundExecution {
  blockNum: number;
  block: string;
  /** Undefined when the node did not send it. */
  packedBlock: Buffer | undefined;
  generation: NodeGeneration;
  hasTraces: boolean;
  actionRoot: string | undefined;
}

interface FoundExecution {
  rootSequences(): number[][];
  /** In the order of the block. */
  transactions(): readonly TransactionHeader[];
  /** Those whose ids begin with the prefix, of 8 to 64 lowercase hex digits. */
  transactionsOf(idPrefix: string): readonly TransactionHeader[];
}

/** The body of a hit that was requested with `FETCH_BODY`. */
export function bodyOf(hit: Hit): FoundBody {
  const source = hit._source as BodyDocument | EarlierBodyDocument;
  const packedBlock = source.packed_block === undefined ? undefined : Buffer.from(source.packed_block, 'base64');
  return {
    blockNum: source.block_num,
    block: source.block,
    packedBlock,
    generation: fromGenerationField(source.generation),
    hasTraces: source.has_traces,
    actionRoot: source.action_root,
    ...('execution' in source
      ? executionOf(Buffer.from(source.execution, 'base64'), packedBlock as Buffer)
      : earlierExecutionOf(source)),
  };
}

function executionOf(bytes: Buffer, block: Buffer): FoundExecution {
  return {
    rootSequences: () => decodeRootSequences(bytes),
    transactions: () => decodeExecution(bytes, block).transactions,
    transactionsOf: (idPrefix) => decodeTransactionsOf(bytes, block, idPrefix),
  };
}

function earlierExecutionOf({ root_sequences, transaction_records }: EarlierBodyDocument): FoundExecution {
  const transactions = (): TransactionHeader[] => decodeTransactionRecords(Buffer.from(transaction_records, 'base64'));
  return {
    rootSequences: () => root_sequences,
    transactions,
    transactionsOf: (idPrefix) => transactions().filter(({ id }) => id.toString('hex').startsWith(idPrefix)),
  };
}

/** The part of a search's body that requests what the directory lists of bodies, without the blocks. */
export const FETCH_LISTED = { _source: ['execution', 'transaction_records'] };

/** What the directory lists of the transactions of a hit that was requested with `FETCH_LISTED`. */
export function listedIn(hit: Hit): ListedTransaction[] {
  const source = hit._source as Pick<BodyDocument, 'execution'> | Pick<EarlierBodyDocument, 'transaction_records'>;
  if ('execution' in source) return decodeListed(Buffer.from(source.execution, 'base64'));
  return decodeTransactionRecords(Buffer.from(source.transaction_records, 'base64'));
}
