import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '@antelope-history/test-support/random';
import type { Suite } from '@antelope-history/suite';

export interface FaultRunOptions {
  suite: Pick<Suite, 'apps' | 'set' | 'untilCommitted'>;
  /** The last block of the chain: the run ends when it is committed. */
  lastBlock: { num: number; id: string };
  faults: number;
  seed: number;
  /** Faults fall within so many milliseconds. */
  spanMs: number;
}

/** Queues that a server may lose; a request to read again that is lost is made again. */
const QUEUES = ['raw-blocks', 'block-records', 'refetch'];

/**
 * Lets a suite index a chain while, at random moments, one of its processes is killed (SIGKILL; it is started again), the
 * broker closes all connections or loses a queue's messages, or the key-value store forgets everything. Gives what
 * happened, in words.
 */
export async function runWithFaults({ suite, lastBlock, faults, seed, spanMs }: FaultRunOptions): Promise<string[]> {
  const random = createRandom(seed);
  const happened: string[] = [];
  for (let fault = 0; fault < faults; fault++) {
    await sleep(random(Math.floor((2 * spanMs) / faults)));
    happened.push(await inflict(suite, random));
  }
  await suite.untilCommitted(lastBlock);
  return happened;
}

async function inflict({ apps, set }: FaultRunOptions['suite'], random: Random): Promise<string> {
  switch (random(6)) {
    case 0:
      await set.faults.cutConnections();
      return 'connections to the broker cut';
    case 1: {
      const queue = QUEUES[random(QUEUES.length)] as string;
      await set.faults.loseMessages(queue);
      return `messages of ${queue} lost`;
    }
    case 2:
      await set.faults.forgetKeys();
      return 'keys forgotten';
    default: {
      const app = apps[random(apps.length)];
      // Between two lives it has no process.
      if (!app || app.pid === 0) return 'nobody killed';
      process.kill(app.pid, 'SIGKILL');
      return `${app.name} killed`;
    }
  }
}
