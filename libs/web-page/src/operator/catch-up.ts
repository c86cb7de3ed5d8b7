import type { StatusResponse } from '@antelope-history/schemas';

/** A pace over a shorter time says little. */
const MIN_SECONDS = 30;
/** Backfill slows down where blocks are fuller: only the recent pace counts. */
const PACE_SECONDS = 300;

/** What is left of the blocks from the first one that there is to the head. */
export interface CatchUp {
  /** Two decimals; undefined before the first committed block. */
  percent: number | undefined;
  /** Undefined when the service has caught up, and while its pace is not known. */
  secondsLeft: number | undefined;
}

export function catchUpOf({ health, samples }: Pick<StatusResponse, 'health' | 'samples'>): CatchUp {
  const { first_block_num: first, committed_block_num: committed, head_block_num: head } = health;
  if (committed === null || head === null) return { percent: undefined, secondsLeft: undefined };
  const from = (first ?? 1) - 1;
  const share = head <= from ? 1 : Math.min(1, (committed - from) / (head - from));
  // Rounded down, because 100 % says that nothing is missing.
  const percent = Math.floor(share * 10_000) / 100;
  return { percent, secondsLeft: health.status === 'catching_up' ? secondsLeft(samples, head - committed) : undefined };
}

/** The distance to the head shrinks by what is committed, and grows by what the chain adds. */
function secondsLeft(samples: StatusResponse['samples'], blocksLeft: number): number | undefined {
  const last = samples.at(-1);
  const start = samples.find(({ at }) => last !== undefined && last.at - at <= PACE_SECONDS * 1000);
  if (!last || !start) return undefined;
  const seconds = (last.at - start.at) / 1000;
  const [before, now] = [distanceOf(start), distanceOf(last)];
  if (seconds < MIN_SECONDS || before === undefined || now === undefined || now >= before) return undefined;
  return (blocksLeft * seconds) / (before - now);
}

function distanceOf({
  head_block_num: head,
  committed_block_num: committed,
}: StatusResponse['samples'][number]): number | undefined {
  return head === null || committed === null ? undefined : head - committed;
}
