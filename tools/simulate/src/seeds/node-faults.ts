import { setTimeout as sleep } from 'node:timers/promises';
import { pick, type Random } from '@antelope-history/test-support/random';
import type { Fault } from './fault';
import type { SimulatedNode } from './simulated-node';

/** Longer than the time after which a reader leaves a silent node. */
const SILENCE_MS = 3_500;
const MAX_CUT_BYTES = 50_000;

/** What nodes and the network to them do to a reader. */
export function nodeFaults(nodes: readonly SimulatedNode[]): Fault[] {
  const any = (random: Random): SimulatedNode => pick(random, nodes);
  return [
    {
      name: 'socket cut',
      strike: async (random) => {
        any(random).proxy.cutAfter(random(MAX_CUT_BYTES));
        await sleep(random(100));
      },
    },
    {
      name: 'node silent',
      strike: async (random) => {
        const { proxy } = any(random);
        proxy.freeze();
        await sleep(SILENCE_MS + random(1000));
        proxy.thaw();
      },
    },
    {
      name: 'node unreachable',
      strike: async (random) => {
        const { proxy } = any(random);
        proxy.refuse();
        await sleep(random(1000));
        proxy.admit();
      },
    },
    {
      name: 'message truncated',
      strike: async (random) => {
        const { replay } = any(random);
        // Each set of faults counts results from its own start.
        replay.setFaults({ seed: random(1000), truncate: [1 + random(20)] });
        await sleep(random(500));
        replay.setFaults({});
      },
    },
    {
      name: 'all nodes changed',
      strike: async (random) => {
        for (const { replay } of nodes) replay.dropConnections();
        await sleep(random(100));
      },
    },
  ];
}
