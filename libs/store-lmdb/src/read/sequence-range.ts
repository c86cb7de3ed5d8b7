import { HistoryError } from '@antelope-history/schemas';
import { type ActionsQuery, type Bound, type ChainStatus, slotOf } from '@antelope-history/store';
import { readBlockIndex } from '../format/chain-facts';
import type { Snapshot, Tables } from '../format/tables';

/** Sequences from `start` to below `end`. */
export interface SequenceRange {
  start: number;
  end: number;
}

/** The sequences of the committed blocks within the query's bounds. */
export function sequencesWithin(
  tables: Tables,
  query: Pick<Partial<ActionsQuery>, 'after' | 'before'>,
  status: ChainStatus,
  snapshot: Snapshot,
): SequenceRange {
  const { firstBlockNum, committed } = status;
  if (firstBlockNum === undefined || !committed) return { start: 0, end: 0 };
  const blocks: BlockRange = { first: firstBlockNum, last: committed.num };
  const timestampOf = (num: number): number => readIndex(tables, num, snapshot).timestamp;
  const first = query.after ? firstBlockAfter(query.after, blocks, timestampOf) : blocks.first;
  const last = query.before ? lastBlockBefore(query.before, blocks, timestampOf) : blocks.last;
  if (first > last) return { start: 0, end: 0 };
  return {
    start: readIndex(tables, first, snapshot).firstSequence,
    end: readIndex(tables, last, snapshot).endSequence,
  };
}

interface BlockRange {
  first: number;
  last: number;
}

function readIndex(tables: Tables, num: number, snapshot: Snapshot): { timestamp: number } & SequenceNames {
  const entry = readBlockIndex(tables, num, snapshot);
  if (!entry) throw new HistoryError('INTERNAL', `block ${num} is missing below the committed head`);
  return entry;
}

interface SequenceNames {
  firstSequence: number;
  endSequence: number;
}

function firstBlockAfter(bound: Bound, blocks: BlockRange, timestampOf: (num: number) => number): number {
  if ('blockNum' in bound) return Math.max(bound.blockNum, blocks.first);
  const slot = slotOf(bound.timeMs);
  return firstBlockWhere(blocks, (num) => timestampOf(num) >= slot);
}

function lastBlockBefore(bound: Bound, blocks: BlockRange, timestampOf: (num: number) => number): number {
  if ('blockNum' in bound) return Math.min(bound.blockNum, blocks.last);
  const slot = slotOf(bound.timeMs);
  return firstBlockWhere(blocks, (num) => timestampOf(num) > slot) - 1;
}

/** The first block for which `holds`, by binary search: timestamps ascend with block numbers. `last + 1` if there is none. */
function firstBlockWhere(blocks: BlockRange, holds: (num: number) => boolean): number {
  let from = blocks.first;
  let to = blocks.last + 1;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
