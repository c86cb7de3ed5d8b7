import { setTimeout as sleep } from 'node:timers/promises';
import type { SupervisedApp } from '@antelope-history/processes';
import { pick } from '@antelope-history/test-support/random';
import type { Fault } from './fault';

/** Longer than the time-outs of a simulated run, and than the heartbeats of the broker's connections need. */
export const LONG_MS = 8_000;
/** So many processes suspended at once leave none of any kind. */
const AT_ONCE = 4;

/** What can happen to the processes of the service. */
export function processFaults(apps: readonly SupervisedApp[]): Fault[] {
  return [
    {
      name: 'process killed',
      strike: async (random) => {
        signal(pick(random, apps), 'SIGKILL');
        await Promise.resolve();
      },
    },
    {
      name: 'several processes killed',
      strike: async (random) => {
        for (let count = 2 + random(AT_ONCE); count > 0; count--) signal(pick(random, apps), 'SIGKILL');
        await Promise.resolve();
      },
    },
    {
      name: 'process suspended',
      strike: async (random) => suspend([pick(random, apps)], random(LONG_MS)),
    },
    {
      name: 'several processes suspended',
      strike: async (random) => {
        const some = Array.from({ length: 2 + random(AT_ONCE) }, () => pick(random, apps));
        await suspend(some, random(LONG_MS));
      },
    },
    {
      // A worker that sleeps through a clean-up is the one that could bring back what was removed.
      name: 'indexer suspended',
      strike: async (random) => {
        const indexers = apps.filter(({ app }) => app === 'indexer');
        await suspend([pick(random, indexers)], LONG_MS);
      },
    },
  ];
}

async function suspend(apps: readonly SupervisedApp[], ms: number): Promise<void> {
  const pids = [...new Set(apps.map(({ pid }) => pid))].filter((pid) => pid !== 0);
  for (const pid of pids) signalPid(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) signalPid(pid, 'SIGCONT');
}

/** A process that has ended and waits for its restart is left alone. */
export function signal({ pid }: SupervisedApp, name: NodeJS.Signals): void {
  if (pid !== 0) signalPid(pid, name);
}

function signalPid(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
