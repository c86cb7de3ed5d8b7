import type { ChainStatus } from '@antelope-history/store';

/** Whether a committed block can no longer be orphaned by a fork. */
export function isIrreversible(blockNum: number, { lastIrreversible }: ChainStatus): boolean {
  return lastIrreversible !== undefined && blockNum <= lastIrreversible.num;
}
