import type { JsonValue } from '@antelope-history/json';
import type { NamedReason, Reason } from '../comparison';
import { valueAt, type Path } from '../difference';
import { abiInForce, dataField, ownerOf, type DecodedField } from './abi-in-force';
import { rootPosition, type BlockContext } from './chain-block';
import { hexDataAlways, returnValueAlways } from './eosio-2.0';
import { producerBlockId } from './producer-block-id';

/** Proof: our value is that of the state history, which is 0 unless the node runs in debug mode. */
export const elapsedOfShip: Reason<BlockContext> = {
  name: 'elapsed',
  sentence:
    '`elapsed` is the value in the state history, which is 0 on most nodes; the history plugin returned the measured time.',
  explains: ({ path, recorded, ours }) => path.at(-1) === 'elapsed' && Number(recorded) > 0 && ours === 0,
};

/** Proof: the recorded number is in a message of the recording, and ours is that of its last message. */
const lastIrreversibleNow: Reason<Pick<BlockContext, 'chain'>> = {
  name: 'last-irreversible-block',
  sentence:
    '`last_irreversible_block` is the one at the time of the request: the plugin was queried while the recorded chain was still growing, this service after the end of the recording.',
  explains: ({ path, recorded, ours }, _, { chain }) =>
    path.join() === 'last_irreversible_block' &&
    chain.lastIrreversibles.has(Number(recorded)) &&
    ours === chain.lastIrreversible.block_num,
};

/** Proof: our value is the count in the receipt of the recorded row. */
const accountActionSeq: Reason<BlockContext> = {
  name: 'account-action-seq',
  sentence:
    '`account_action_seq` is the chain’s own count (`recv_sequence` of the receipt shown); the plugin counted its stored rows, one per notification.',
  explains: ({ path, ours }, responses) =>
    path.join() === 'account_action_seq' &&
    ours === valueAt(responses.recorded, ['action_trace', 'receipt', 'recv_sequence']),
};

export const TRANSACTION_REASONS: readonly Reason<BlockContext>[] = [
  elapsedOfShip,
  producerBlockId,
  returnValueAlways,
  hexDataAlways,
  lastIrreversibleNow,
  abiInForce(transactionDataAt),
];

export const ACTION_ROW_REASONS: readonly Reason<BlockContext>[] = [
  elapsedOfShip,
  producerBlockId,
  returnValueAlways,
  hexDataAlways,
  accountActionSeq,
  abiInForce(traceDataAt),
];

/** Differences of the rows of get_actions with positions of nodeos. */
export const PLUGIN_ROW_REASONS = ACTION_ROW_REASONS.filter((reason) => reason !== accountActionSeq);

/** Proof: the block is in the recording, which ended when the block was not irreversible yet. */
const lastIrreversibleLater: Reason<Pick<BlockContext, 'chain'>> = {
  name: 'last-irreversible-later',
  sentence:
    '`last_irreversible_block` is that of the last recorded message: the plugin was queried once more when the chain had gone on.',
  explains: ({ path, recorded, ours }, _, { chain }) =>
    path.join() === 'last_irreversible_block' &&
    ours === chain.lastIrreversible.block_num &&
    Number(recorded) > ours &&
    Number(recorded) <= chain.head.block_num,
};

/** Proof: our number is that of the last block. */
const headBlockNumAlways: Reason<Pick<BlockContext, 'chain'>> = {
  name: 'head-block-num',
  sentence: '`head_block_num` is additional: Wharfkit reads no response without it, other clients ignore it.',
  explains: ({ path, recorded, ours }, _, { chain }) =>
    path.join() === 'head_block_num' && recorded === undefined && ours === chain.head.block_num,
};

export const PLUGIN_PAGE_REASONS = [lastIrreversibleNow, lastIrreversibleLater, headBlockNumAlways];

/** Proof: a request for the positions of the recorded rows returns these rows. */
export const NEWEST_THEN: NamedReason = {
  name: 'newest-then',
  sentence:
    'The newest rows are those at the time of the request: the plugin was queried while the recorded chain was still growing. The recorded rows are compared with those of the same positions.',
};

/** The field `trx.trx.actions[i].data` or `traces[i].act.data`. */
function transactionDataAt(path: Path, ours: JsonValue, context: BlockContext): DecodedField | undefined {
  const [first, , list, actionIndex, key] = path;
  if (first === 'traces') return traceDataAt(path, ours, context);
  const act = ownerOf(ours, path);
  const id = valueAt(ours, ['id']);
  const free = valueAt(ours, ['trx', 'trx', 'context_free_actions']);
  if (first !== 'trx' || key !== 'data' || !act || typeof id !== 'string' || !Array.isArray(free)) return undefined;
  return dataField(act, rootPosition(context.block, id, Number(actionIndex) + (list === 'actions' ? free.length : 0)));
}

/** The field `act.data` of a trace. */
function traceDataAt(path: Path, ours: JsonValue, { block }: BlockContext): DecodedField | undefined {
  const act = ownerOf(ours, path);
  const sequence = valueAt(ours, [...path.slice(0, -2), 'receipt', 'global_sequence']);
  if (!act || path.at(-2) !== 'act' || path.at(-1) !== 'data' || sequence === undefined) return undefined;
  return dataField(act, { blockNum: block.num, sequence: Number(sequence) });
}
