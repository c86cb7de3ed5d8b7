import { HistoryError, MAX_BLOCK_NUM } from '@antelope-history/schemas';
import type { RequestedRange } from './checkpoint';

/** The block numbers of `--from` and `--to`. Throws `CONFIG_INVALID`. */
export function parseRange({ from, to }: { from?: string | undefined; to?: string | undefined }): RequestedRange {
  return {
    from: from === undefined ? undefined : parseBlockNum('--from', from),
    to: to === undefined ? undefined : parseBlockNum('--to', to),
  };
}

function parseBlockNum(option: string, text: string): number {
  const num = /^[0-9]{1,10}$/.test(text) ? Number(text) : NaN;
  if (num <= MAX_BLOCK_NUM) return num;
  throw new HistoryError('CONFIG_INVALID', `${option}: must be a block number from 0 to ${MAX_BLOCK_NUM}`);
}
