import type { JsonValue } from '@antelope-history/json';
import type { ActionPosition } from '../abi-history';
import type { Reason } from '../comparison';
import { valueAt, type Path } from '../difference';
import { actionTraces, executedTraces, sequenceOf, type RecordedBlock } from '../recorded-block';
import type { RecordedChain } from '../recorded-chain';
import { abiInForce, dataField, hexOfDecodedField, ownerOf, type DecodedField } from './abi-in-force';

export interface BlockContext {
  chain: RecordedChain;
  block: RecordedBlock;
}

export const CHAIN_BLOCK_REASONS: readonly Reason<BlockContext>[] = [abiInForce(dataAt)];

/** The field `transactions[i].trx.transaction.actions[j].data`, or the `hex_data` of the same action. */
function dataAt(path: Path, ours: JsonValue, { block }: BlockContext): DecodedField | undefined {
  const [transactions, index, trx, transaction, list, actionIndex, key] = path;
  if (transactions !== 'transactions' || trx !== 'trx' || transaction !== 'transaction') return undefined;
  if (key !== 'data' && key !== 'hex_data') return undefined;
  const act = ownerOf(ours, path);
  const id = valueAt(ours, ['transactions', Number(index), 'trx', 'id']);
  const free = valueAt(ours, ['transactions', Number(index), 'trx', 'transaction', 'context_free_actions']);
  if (!act || typeof id !== 'string' || !Array.isArray(free)) return undefined;
  const position = rootPosition(block, id, Number(actionIndex) + (list === 'actions' ? free.length : 0));
  return key === 'data' ? dataField(act, position) : hexOfDecodedField(act, position);
}

/** The position of a root action; for a transaction that did not execute, the position of the next executed action. */
export function rootPosition(block: RecordedBlock, transactionId: string, rootIndex: number): ActionPosition {
  const executed = executedTraces(block).find(({ id }) => id === transactionId);
  const roots = executed && actionTraces(executed).filter(({ creator_action_ordinal }) => creator_action_ordinal === 0);
  const root = roots?.[rootIndex];
  return { blockNum: block.num, sequence: root ? sequenceOf(root) : nextSequence(block, transactionId) };
}

function nextSequence({ traces, num }: RecordedBlock, transactionId: string): number {
  const index = traces.findIndex(({ id }) => id === transactionId);
  if (index < 0) throw new Error(`block ${num} has no transaction ${transactionId}`);
  const later = executedTraces({ traces: traces.slice(index + 1) }).flatMap(actionTraces);
  return Math.min(...later.map(sequenceOf));
}
