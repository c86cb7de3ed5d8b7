import { createHash } from 'node:crypto';
import type { BlockData, DataValue } from '@antelope-history/data-fields';
import {
  type BlockRecords,
  isStateComplete,
  readFurtherTraces,
  type TransactionRecord,
} from '@antelope-history/records';
import { dataTerm } from '../indices/data-terms';
import { abiId, actionId, blockTag, permissionId } from '../indices/document-ids';
import type {
  AbiDocument,
  BlockDocument,
  BodyDocument,
  JournalDocument,
  PermissionDocument,
} from '../indices/documents';
import { idTerm } from '../indices/id-terms';
import { keyTerm, type DocumentKind } from '../indices/index-names';
import { toGenerationField } from '../indices/node-generation';
import { encodeTransactionRecords } from '../indices/transaction-records';
import { asciiJson } from './ascii-json';

/** A document to write to the index of its kind, as JSON. */
export interface NewDocument {
  kind: DocumentKind;
  id: string;
  json: string;
}

/** Global sequences of a block's action traces: from `first` to below `end`; both 0 when it has none. */
export function sequencesOf({ transactions }: BlockRecords): { first: number; end: number } {
  if (transactions.length === 0) return { first: 0, end: 0 };
  const first = transactions.reduce((lowest, { firstSequence }) => Math.min(lowest, firstSequence), Infinity);
  const end = transactions.reduce((highest, each) => Math.max(highest, each.firstSequence + each.sequenceCount), 0);
  return { first, end };
}

/** All documents of a block except the journal entry. `data`: the values of its indexed data fields. */
export function* documentsOf(block: BlockRecords, data: BlockData): Generator<NewDocument> {
  const tag = blockTag(block.position);
  const { first, end } = sequencesOf(block);
  yield* actionsOf(block, data, tag, first);
  const { num, id } = block.position;
  const fields = { block_num: num, block: id };
  const document: BlockDocument = {
    ...fields,
    timestamp: block.timestamp,
    first_sequence: first,
    end_sequence: end,
    has_block: block.block !== undefined,
  };
  yield { kind: 'blocks', id, json: JSON.stringify(document) };
  if (block.block) yield { kind: 'bodies', id, json: JSON.stringify({ ...fields, ...bodyOf(block, block.block) }) };
  for (const { account, sequence, abi } of block.abiChanges) {
    const hash = createHash('sha256').update(abi).digest('hex');
    const change: AbiDocument = { ...fields, account, sequence, hash, abi: abi.toString('base64') };
    yield { kind: 'abis', id: abiId(tag, account, sequence), json: JSON.stringify(change) };
  }
  for (const { owner, name, authority } of block.permissionChanges) {
    const keys = authority?.keys.map(keyTerm) ?? [];
    const state: PermissionDocument = {
      ...fields,
      owner,
      name,
      removed: !authority,
      keys,
      actors: authority?.actors ?? [],
    };
    yield { kind: 'permissions', id: permissionId(tag, owner, name), json: JSON.stringify(state) };
  }
}

/** What the journal says of a block's data fields. */
export type JournalData = Pick<JournalDocument, 'data_fields' | 'data_abis'>;

/** The journal entry of a block; it is written when all documents of the block are durable. */
export function journalEntryOf(block: BlockRecords, data: JournalData): JournalDocument {
  const { first, end } = sequencesOf(block);
  const { epoch: session, sequence: ordinal } = block.streamPosition;
  return {
    session,
    ordinal,
    first: session === ordinal,
    position: block.position,
    previous: block.previous,
    head: block.head,
    last_irreversible: block.lastIrreversible,
    timestamp: block.timestamp,
    has_block: block.block !== undefined,
    whole_state: isStateComplete(block),
    first_sequence: first,
    end_sequence: end,
    ...data,
    counts: {
      actions: block.transactions.reduce((count, { actions }) => count + actions.length, 0),
      abis: block.abiChanges.length,
      permissions: block.permissionChanges.length,
    },
  };
}

/**
 * Most documents are actions. Their JSON is concatenated: names, hashes and base64 need no escaping, and the fields common to
 * a block or a transaction are serialized once.
 */
function* actionsOf(block: BlockRecords, data: BlockData, tag: string, firstSequence: number): Generator<NewDocument> {
  const ofBlock = `{"block_num":${block.position.num},"block":"${block.position.id}","timestamp":${block.timestamp}`;
  for (const transaction of block.transactions) {
    const ofTransaction = `${ofBlock},${transactionFields(transaction)}`;
    for (const action of transaction.actions) {
      const { sequence, accounts, account, name, root, bytes } = action;
      const json =
        `${ofTransaction},"sequence":${sequence},"accounts":["${accounts.join('","')}"],` +
        `"contract":"${account}","name":"${name}","root":${root},${dataFields(data.of(action))}${furtherTraceFields(bytes)}` +
        `"record":"${bytes.toString('base64')}"}`;
      yield { kind: 'actions', id: actionId(tag, sequence - firstSequence), json };
    }
  }
}

/** With a comma behind, or empty. */
function dataFields(values: readonly DataValue[]): string {
  if (values.length === 0) return '';
  return `"data":${asciiJson(values.map(({ field, text }) => dataTerm(field.field, text)))},`;
}

/** With a comma behind, or empty. */
function furtherTraceFields(bytes: Buffer): string {
  const further = readFurtherTraces(bytes);
  if (!further) return '';
  return `"authorizers":["${further.authorizers.join('","')}"],"further_traces":${further.count},`;
}

function transactionFields({ id, firstSequence }: TransactionRecord): string {
  return `"transaction":"${id.toString('hex')}","first_sequence":${firstSequence}`;
}

function bodyOf(block: BlockRecords, packedBlock: Buffer): Omit<BodyDocument, 'block_num' | 'block'> {
  return {
    transactions: block.transactions.map(({ id }) => idTerm(id.toString('hex'))),
    packed_block: packedBlock.toString('base64'),
    generation: toGenerationField(block.generation),
    has_traces: block.hasTraces,
    action_root: block.actionRoot,
    root_sequences: block.rootSequences,
    transaction_records: encodeTransactionRecords(block.transactions).toString('base64'),
  };
}
