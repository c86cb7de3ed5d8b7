import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '@antelope-history/test-support/random';
import { startService, stop, untilCommitted } from '@antelope-history/service-process';

export interface KillRunOptions {
  /** `ws://…` of a node or a replay. */
  url: string;
  data: string;
  /** The last block of the chain: the run ends when it is committed. */
  lastBlock: number;
  kills: number;
  seed: number;
  /** About how long an unbroken run takes, in milliseconds: kills fall within it. */
  spanMs: number;
}

/** Runs that are cut short take longer in all, so kills fall within the first part of one. */
const KILL_WITHIN = 0.6;

/**
 * Indexes a chain while the service is killed (SIGKILL) at random moments and started again. Gives the block that was
 * committed at each kill.
 */
export async function runWithKills(options: KillRunOptions): Promise<number[]> {
  const random = createRandom(options.seed);
  const killedAt: number[] = [];
  for (let kill = 0; kill < options.kills; kill++) {
    const service = startService(options.url, options.data);
    await service.reading;
    await sleep(random(options.spanMs * KILL_WITHIN));
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
    killedAt.push(await service.committedNow());
  }
  const service = startService(options.url, options.data);
  try {
    await untilCommitted(options.data, options.lastBlock);
  } finally {
    await stop(service.child);
  }
  return killedAt;
}
