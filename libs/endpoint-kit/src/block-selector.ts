import { HistoryError, MAX_BLOCK_NUM } from '@antelope-history/schemas';
import type { BlockSelector } from '@antelope-history/store';

const BLOCK_ID = /^[0-9a-f]{64}$/i;

/** A block id in lower case. Throws `INVALID_BLOCK_ID`. */
export function parseBlockId(field: string, text: string): { id: string } {
  if (BLOCK_ID.test(text)) return { id: text.toLowerCase() };
  throw new HistoryError('INVALID_BLOCK_ID', `${field}: give a block id of 64 hex digits`);
}

/**
 * A number or an id in one field. Throws `INVALID_BLOCK_ID` for what is neither, `UNKNOWN_BLOCK` for a number that no
 * block can have.
 */
export function parseBlockNumOrId(field: string, value: string | number): BlockSelector {
  const text = String(value);
  if (BLOCK_ID.test(text)) return parseBlockId(field, text);
  if (!/^-?\d{1,63}$/.test(text)) {
    throw new HistoryError('INVALID_BLOCK_ID', `${field}: give a block number, or a block id of 64 hex digits`);
  }
  const num = Number(text);
  if (num < 0 || num > MAX_BLOCK_NUM) throw unknownBlock(value);
  return { num };
}

/** The node's own words (nodeos plugins/chain_plugin, get_block). */
export function unknownBlock(value: string | number): HistoryError {
  return new HistoryError('UNKNOWN_BLOCK', `Could not find block: ${value}`);
}
