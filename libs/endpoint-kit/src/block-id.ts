import { HistoryError } from '@antelope-history/schemas';

const BLOCK_ID = /^[0-9a-f]{64}$/i;

export function isBlockId(text: string): boolean {
  return BLOCK_ID.test(text);
}

/** The block id in lower case. Throws `INVALID_BLOCK_ID`, which names the request's `field`. */
export function parseBlockId(field: string, text: string): { id: string } {
  if (isBlockId(text)) return { id: text.toLowerCase() };
  throw new HistoryError('INVALID_BLOCK_ID', `${field}: give a block id of 64 hex digits`);
}
