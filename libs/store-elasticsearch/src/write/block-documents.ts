import type { BlockData } from '@antelope-history/data-fields';
import { type BlockRecords, isStateComplete } from '@antelope-history/records';
import { abiHash } from '../indices/abi-hash';
import { encodeExecution } from '../indices/block-execution';
import { abiId, actionId, blockTag, permissionId } from '../indices/document-ids';
import type {
  AbiDocument,
  ActionLayout,
  BlockDocument,
  JournalDocument,
  NewBodyDocument,
  PermissionDocument,
} from '../indices/documents';
import { idTerm } from '../indices/id-terms';
import { keyTerm, type DocumentKind } from '../indices/index-names';
import { toGenerationField } from '../indices/node-generation';
import { actionJson, originJson } from './action-json';

/** A document to write to the index of its kind, as JSON. */
export interface NewDocument {
  kind: DocumentKind;
  id: string;
  json: string;
  /**
   * The higher version replaces the lower one. It is the message's sequence, except where a later message may say less of the same
   * block: a message without the block itself, and actions whose data were decoded with ABIs that are only assumed.
   */
  version: number;
}

/** Below all sequences, so that such a document replaces no other. */
const WITHOUT_BLOCK = 0;
const WITH_ASSUMED_ABIS = 1;

/** Global sequences of a block's action traces: from `first` to below `end`; both 0 when it has none. */
export function sequencesOf({ transactions }: BlockRecords): { first: number; end: number } {
  if (transactions.length === 0) return { first: 0, end: 0 };
  const first = transactions.reduce((lowest, { firstSequence }) => Math.min(lowest, firstSequence), Infinity);
  const end = transactions.reduce((highest, each) => Math.max(highest, each.firstSequence + each.sequenceCount), 0);
  return { first, end };
}

/** The values of a block's indexed data fields. */
export interface BlockDataTerms {
  data: BlockData;
  /** See `IndexedData`. */
  mark?: string;
  /** Whether the data were decoded with ABIs that may turn out to be others. */
  areAbisAssumed: boolean;
}

/** All documents of a block except the journal entry. */
export function* documentsOf(block: BlockRecords, data: BlockDataTerms, layout: ActionLayout): Generator<NewDocument> {
  const tag = blockTag(block.position);
  const version = block.streamPosition.sequence;
  const { first, end } = sequencesOf(block);
  yield* actionsOf(block, data, { tag, first, layout });
  const { num, id } = block.position;
  const fields = { block_num: num, block: id };
  const document: BlockDocument = {
    ...fields,
    timestamp: block.timestamp,
    first_sequence: first,
    end_sequence: end,
    has_block: block.block !== undefined,
  };
  yield { kind: 'blocks', id, json: JSON.stringify(document), version: block.block ? version : WITHOUT_BLOCK };
  if (block.block) {
    yield { kind: 'bodies', id, json: JSON.stringify({ ...fields, ...bodyOf(block, block.block) }), version };
  }
  for (const { account, sequence, abi } of block.abiChanges) {
    const change: AbiDocument = { ...fields, account, sequence, hash: abiHash(abi), abi: abi.toString('base64') };
    yield { kind: 'abis', id: abiId(tag, account, sequence), json: JSON.stringify(change), version };
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
    yield { kind: 'permissions', id: permissionId(tag, owner, name), json: JSON.stringify(state), version };
  }
}

/** What the journal says of a block's data fields. */
export type JournalData = Pick<JournalDocument, 'data_fields' | 'data_abis' | 'data_mark'>;

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

function* actionsOf(
  block: BlockRecords,
  { data, mark, areAbisAssumed }: BlockDataTerms,
  { tag, first, layout }: { tag: string; first: number; layout: ActionLayout },
): Generator<NewDocument> {
  const { num: blockNum, id } = block.position;
  for (const { id: transaction, firstSequence, actions } of block.transactions) {
    const origin = originJson({ blockNum, block: id, timestamp: block.timestamp, firstSequence, transaction }, layout);
    for (const action of actions) {
      const isIndexed = mark !== undefined && data.isIndexed(action);
      const json = actionJson(origin, action, { values: data.of(action), ...(isIndexed && { mark }) }, layout);
      const version = isIndexed && areAbisAssumed ? WITH_ASSUMED_ABIS : block.streamPosition.sequence;
      yield { kind: 'actions', id: actionId(tag, action.sequence - first), json, version };
    }
  }
}

function bodyOf(block: BlockRecords, packedBlock: Buffer): Omit<NewBodyDocument, 'block_num' | 'block'> {
  return {
    transactions: block.transactions.map(({ id }) => idTerm(id.toString('hex'))),
    packed_block: packedBlock.toString('base64'),
    generation: toGenerationField(block.generation),
    has_traces: block.hasTraces,
    action_root: block.actionRoot,
    execution: encodeExecution(block, packedBlock).toString('base64'),
  };
}
