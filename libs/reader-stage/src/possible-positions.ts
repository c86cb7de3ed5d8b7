import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type { BlocksResult } from '@antelope-history/ship';

const NUMBER_DIGITS = 8;

/**
 * Throws `SHIP_MESSAGE_CORRUPT` for positions that no chain has: a store keeps the highest last irreversible block that it is told,
 * and would refuse all forks below it.
 */
export function requirePossiblePositions({ head, lastIrreversible, thisBlock }: BlocksResult): void {
  for (const position of [head, lastIrreversible, thisBlock]) if (position) requireNumberInId(position);
  if (thisBlock?.num === 0)
    throw new HistoryError('SHIP_MESSAGE_CORRUPT', 'the node sends block 0, which no chain has');
  if (lastIrreversible.num > head.num) {
    const reported = `block ${lastIrreversible.num} is irreversible and its head is block ${head.num}`;
    throw new HistoryError('SHIP_MESSAGE_CORRUPT', `the node reports that ${reported}`);
  }
}

/**
 * The id of a block begins with its number (nodeos block_header.cpp, calculate_id). A node that has no block yet reports the
 * number 0, and zeros as id.
 */
function requireNumberInId({ num, id }: BlockPosition): void {
  if (parseInt(id.slice(0, NUMBER_DIGITS), 16) === num) return;
  throw new HistoryError('SHIP_MESSAGE_CORRUPT', `the node sends the id ${id} for block ${num}`);
}
