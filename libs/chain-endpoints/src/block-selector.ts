import { isBlockId, parseBlockId } from '@antelope-history/endpoint-kit';
import { HistoryError, MAX_BLOCK_NUM } from '@antelope-history/schemas';
import type { BlockSelector } from '@antelope-history/store';

/**
 * Reads a field that holds a block number or a block id. Throws `INVALID_BLOCK_ID` for a value that is neither, and
 * `UNKNOWN_BLOCK` for a number that no block can have.
 */
export function parseBlockNumOrId(field: string, value: string | number): BlockSelector {
  const text = String(value);
  if (isBlockId(text)) return parseBlockId(field, text);
  if (!/^-?\d{1,63}$/.test(text)) {
    throw new HistoryError('INVALID_BLOCK_ID', `${field}: give a block number, or a block id of 64 hex digits`);
  }
  const num = Number(text);
  if (num < 0 || num > MAX_BLOCK_NUM) throw unknownBlock(value);
  return { num };
}

/** The error with the node's own message (nodeos plugins/chain_plugin, get_block). */
export function unknownBlock(value: string | number): HistoryError {
  return new HistoryError('UNKNOWN_BLOCK', `Could not find block: ${value}`);
}
