import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { BrokerContract } from './broker-under-test';
import { Inbox, message, messages, sizeOf, testQueue } from './test-queue';
import { publishAll, Watched, withBroker } from './with-broker';

/** A full queue blocks its publishers. */
export function describeBounds(contract: BrokerContract): void {
  describe('bounds', () => {
    it.each([
      ['messages', { maxMessages: 4 }],
      ['bytes', { maxBytes: 4 * sizeOf(message(1, 100)) }],
    ])('block a publisher while the queue is full (%s)', (_, bounds) =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ ...bounds, prefetch: 1 });
        await publishAll(broker, queue, messages(4, 100));
        const fifth = new Watched(broker.publish(queue, message(5, 100)));
        await setTimeout(contract.patienceMs);
        expect(fifth.ended).toBe(false);
        const inbox = await Inbox.open(broker, queue);
        for (let next = 0; next < 4; next++) (await inbox.received(next + 1))[next]?.acknowledge();
        await fifth.promise;
        await inbox.received(5);
        expect(inbox.numbers).toEqual([1, 2, 3, 4, 5]);
      }),
    );

    it('admit a message that is larger than the queue when the queue is empty', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ maxBytes: 1_000 });
        const giant = message(1, 50_000);
        await broker.publish(queue, giant);
        const next = new Watched(broker.publish(queue, message(2)));
        await setTimeout(contract.patienceMs);
        expect(next.ended).toBe(false);
        const inbox = await Inbox.open(broker, queue);
        const [delivery] = await inbox.received(1);
        expect(delivery?.message).toEqual(giant);
        delivery?.acknowledge();
        await next.promise;
      }));

    it('hold for many publishes at once, and keep the order of the calls', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ maxMessages: 4, prefetch: 1 });
        const publishing = Promise.all(messages(60).map((each) => broker.publish(queue, each)));
        const inbox = await Inbox.open(broker, queue);
        for (let next = 0; next < 60; next++) {
          const delivery = (await inbox.received(next + 1))[next];
          // Some brokers bound the ready messages only, without the unsettled ones of the consumer.
          expect((await broker.depth(queue)).messages).toBeLessThanOrEqual(4 + queue.prefetch);
          delivery?.acknowledge();
        }
        await publishing;
        expect(inbox.numbers).toEqual(messages(60).map(({ n }) => n));
      }));

    it('of one queue do not block another', () =>
      withBroker(contract, async (broker) => {
        const full = testQueue({ maxMessages: 1 });
        await broker.publish(full, message(1));
        const waiting = new Watched(broker.publish(full, message(2)));
        await publishAll(broker, testQueue(), messages(10));
        expect(waiting.ended).toBe(false);
        const inbox = await Inbox.open(broker, full);
        (await inbox.received(1))[0]?.acknowledge();
        await waiting.promise;
      }));
  });
}
