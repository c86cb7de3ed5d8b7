import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '../broker';
import type { BrokerContract } from './broker-under-test';
import { digest, Inbox, message, randomMessage, testQueue, type TestMessage } from './test-queue';
import { expectDepth, publishAll, withBroker } from './with-broker';

/** The promises for small messages hold for large ones, however an adapter carries them. */
export function describeLargeMessages(contract: BrokerContract): void {
  const { largeBytes } = contract;
  const roomy = { maxBytes: 20 * largeBytes };
  const mixed = (): TestMessage[] => [
    message(1),
    randomMessage(2, largeBytes),
    message(3),
    randomMessage(4, 3 * largeBytes + 1),
    randomMessage(5, 2 * largeBytes),
    message(6),
  ];

  describe('large messages', () => {
    it('come whole and in order among small ones', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue(roomy);
        const sent = mixed();
        await Promise.all(sent.map((each) => broker.publish(queue, each)));
        const inbox = await Inbox.open(broker, queue);
        const deliveries = await inbox.received(sent.length);
        expect(deliveries.map((delivery) => digest(delivery.message))).toEqual(sent.map(digest));
        for (const delivery of deliveries) delivery.acknowledge();
        await expectDepth(broker, queue, 0);
      }));

    it('come again whole when they are requeued, and when their consumer is cancelled', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ ...roomy, prefetch: 1 });
        const sent = mixed();
        await publishAll(broker, queue, sent);
        for (const expected of sent) {
          const cancelled = await Inbox.open(broker, queue);
          (await cancelled.received(1))[0]?.requeue();
          expectAgain((await cancelled.received(2))[1], expected);
          await cancelled.cancel();
          const inbox = await Inbox.open(broker, queue);
          const [delivery] = await inbox.received(1);
          expectAgain(delivery, expected);
          delivery?.acknowledge();
          await inbox.cancel();
        }
        await expectDepth(broker, queue, 0);
      }));

    it('are delivered one at a time when two exceed the bytes of a consumer', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ maxBytes: largeBytes });
        const sent = [1, 2, 3, 4].map((n) => randomMessage(n, 2 * largeBytes));
        const publishing = publishAll(broker, queue, sent);
        const inbox = await Inbox.open(broker, queue);
        for (const [index, expected] of sent.entries()) {
          const delivery = (await inbox.received(index + 1))[index];
          // A further one would come in this time.
          await sleep(100);
          expect(inbox.deliveries).toHaveLength(index + 1);
          expect(digest(delivery?.message)).toBe(digest(expected));
          delivery?.acknowledge();
        }
        await publishing;
      }));
  });
}

function expectAgain(delivery: Delivery<TestMessage> | undefined, expected: TestMessage): void {
  expect(delivery?.redelivered).toBe(true);
  expect(digest(delivery?.message)).toBe(digest(expected));
}
