import { setTimeout } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Broker, Queue } from '../broker';
import type { BrokerContract } from './broker-under-test';

/** Runs `body` with a new broker, which is disposed of in any case. */
export async function withBroker(contract: BrokerContract, body: (broker: Broker) => Promise<void>): Promise<void> {
  const under = await contract.open();
  try {
    await body(under.broker);
  } finally {
    await under.dispose();
  }
}

export async function publishAll<T>(broker: Broker, queue: Queue<T>, all: readonly T[]): Promise<void> {
  for (const each of all) await broker.publish(queue, each);
}

/** Ends a hang: on a busy machine a settlement on quorum queues takes a hundred times as long as on an idle one. */
const DEPTH_LIMIT_MS = 90_000;

/** Waits until a queue holds `count` messages, as settlements reach a remote broker later. */
export async function expectDepth<T>(broker: Broker, queue: Queue<T>, count: number): Promise<void> {
  const end = Date.now() + DEPTH_LIMIT_MS;
  while (Date.now() < end && (await broker.depth(queue)).messages !== count) await setTimeout(10);
  expect((await broker.depth(queue)).messages).toBe(count);
}

/** Shows whether a promise is settled. */
export class Watched {
  ended = false;

  constructor(readonly promise: Promise<unknown>) {
    const end = (): void => {
      this.ended = true;
    };
    promise.then(end, end);
  }
}
