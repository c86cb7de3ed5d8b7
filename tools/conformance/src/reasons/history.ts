import type { JsonValue } from '@antelope-history/json';
import type { Reason } from '../comparison';
import { valueAt, type Path } from '../difference';
import { abiInForce, dataField, ownerOf, type DecodedField } from './abi-in-force';
import { rootPlace, type BlockContext } from './chain-block';
import { hexDataAlways, returnValueAlways } from './eosio-2.0';
import { producerBlockId } from './producer-block-id';

/** Proof: ours is the value in the state history, which carries none unless the node runs in debug mode. */
export const elapsedOfShip: Reason<BlockContext> = {
  name: 'elapsed',
  sentence: '`elapsed` is the value in the state history, 0 on most nodes; the history plugin measured it.',
  explains: ({ path, recorded, ours }) => path.at(-1) === 'elapsed' && Number(recorded) > 0 && ours === 0,
};

/** Proof: the recorded number is one that the node named while the recording ran, ours the last of them. */
const lastIrreversibleNow: Reason<BlockContext> = {
  name: 'last-irreversible-block',
  sentence:
    '`last_irreversible_block` is the one at the time of the request: the plugin was queried while the recorded chain was still growing, this service after its end.',
  explains: ({ path, recorded, ours }, _, { chain }) =>
    path.join() === 'last_irreversible_block' &&
    chain.lastIrreversibles.has(Number(recorded)) &&
    ours === chain.lastIrreversible.block_num,
};

/** Proof: ours is the count in the receipt, which the recorded row shows too. */
const accountActionSeq: Reason<BlockContext> = {
  name: 'account-action-seq',
  sentence:
    '`account_action_seq` is the chain’s own count (`recv_sequence` of the receipt shown); the plugin counted its stored rows, one per notification.',
  explains: ({ path, ours }, answers) =>
    path.join() === 'account_action_seq' &&
    ours === valueAt(answers.recorded, ['action_trace', 'receipt', 'recv_sequence']),
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

/** `trx.trx.actions[i].data` or `traces[i].act.data`. */
function transactionDataAt(path: Path, ours: JsonValue, context: BlockContext): DecodedField | undefined {
  const [first, , list, position, key] = path;
  if (first === 'traces') return traceDataAt(path, ours, context);
  const act = ownerOf(ours, path);
  const id = valueAt(ours, ['id']);
  const free = valueAt(ours, ['trx', 'trx', 'context_free_actions']);
  if (first !== 'trx' || key !== 'data' || !act || typeof id !== 'string' || !Array.isArray(free)) return undefined;
  return dataField(act, rootPlace(context.block, id, Number(position) + (list === 'actions' ? free.length : 0)));
}

/** `….act.data`, beside the receipt of the trace. */
function traceDataAt(path: Path, ours: JsonValue, { block }: BlockContext): DecodedField | undefined {
  const act = ownerOf(ours, path);
  const sequence = valueAt(ours, [...path.slice(0, -2), 'receipt', 'global_sequence']);
  if (!act || path.at(-2) !== 'act' || path.at(-1) !== 'data' || sequence === undefined) return undefined;
  return dataField(act, { blockNum: block.num, sequence: Number(sequence) });
}
