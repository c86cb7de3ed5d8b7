import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '@antelope-history/test-support/random';
import { startService, stop, untilCommitted } from '@antelope-history/processes';

export interface KillRunOptions {
  /** URL of the state history socket of a node or a replay. */
  url: string;
  data: string;
  /** The last block of the chain. The run ends when it is committed. */
  lastBlock: number;
  kills: number;
  seed: number;
  /** About the time that an unbroken run takes, in milliseconds. The kills happen within it. */
  spanMs: number;
}

/** The share of an unbroken run within which a kill happens: a run with kills takes longer than one without. */
const KILL_WITHIN = 0.6;

/**
 * Indexes a chain while the service is killed (SIGKILL) at random moments and started again. Returns the number of the
 * committed block at each kill.
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
