import type { ChainStatus } from '@antelope-history/store';

/** Whether a committed block can no longer be orphaned by a fork. */
export function isIrreversible(blockNum: number, { lastIrreversible }: ChainStatus): boolean {
  return lastIrreversible !== undefined && blockNum <= lastIrreversible.num;
}

/** The numbers of the newest block that responses show, and of the last irreversible one among the blocks up to it; 0 for none. */
export interface ShownHeads {
  head: number;
  lastIrreversible: number;
}

/** A node reports its own head and last irreversible block, which are above the committed head while the service catches up. */
export function shownHeads({ committed, lastIrreversible }: ChainStatus): ShownHeads {
  const head = committed?.num ?? 0;
  return { head, lastIrreversible: Math.min(lastIrreversible?.num ?? 0, head) };
}
