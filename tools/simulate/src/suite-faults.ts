import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, pick, type Random } from '@antelope-history/test-support/random';
import type { Suite } from '@antelope-history/processes';

export interface FaultRunOptions {
  suite: Pick<Suite, 'apps' | 'set' | 'untilCommitted'>;
  /** The last block of the chain. The run ends when it is committed. */
  lastBlock: { num: number; id: string };
  faults: number;
  seed: number;
  /** The faults happen within this time. */
  spanMs: number;
}

/** Queues that a server may lose; a lost refetch request is sent again. */
const QUEUES = ['raw-blocks', 'block-records', 'refetch'];

/** Shorter than the limit of a test, so that it says how far the suite came. */
const COMMIT_LIMIT_MS = 300_000;

/**
 * Lets a suite index a chain while faults happen at random moments: one of its processes is killed (SIGKILL; it is started
 * again), the broker closes all connections or loses a queue's messages, or the key-value store loses all keys. Returns a
 * description of each fault.
 */
export async function runWithFaults({ suite, lastBlock, faults, seed, spanMs }: FaultRunOptions): Promise<string[]> {
  const random = createRandom(seed);
  const happened: string[] = [];
  for (let fault = 0; fault < faults; fault++) {
    await sleep(random(Math.floor((2 * spanMs) / faults)));
    happened.push(await inflict(suite, random));
  }
  await suite.untilCommitted(lastBlock, COMMIT_LIMIT_MS);
  return happened;
}

async function inflict({ apps, set }: FaultRunOptions['suite'], random: Random): Promise<string> {
  switch (random(6)) {
    case 0:
      await set.faults.cutConnections();
      return 'connections to the broker cut';
    case 1: {
      const queue = pick(random, QUEUES);
      await set.faults.loseMessages(queue);
      return `messages of ${queue} lost`;
    }
    case 2:
      await set.faults.forgetKeys();
      return 'keys lost';
    default: {
      const app = apps[random(apps.length)];
      // An app that waits for its restart has no process.
      if (!app || app.pid === 0) return 'no process killed';
      process.kill(app.pid, 'SIGKILL');
      return `${app.name} killed`;
    }
  }
}
