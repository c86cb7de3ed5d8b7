import { describe, expect, it } from '@jest/globals';
import { HistoryError } from '@antelope-history/schemas';
import { MAX_DEAD_LETTERS, type Broker, type Queue } from '../broker';
import type { BrokerContract } from './broker-under-test';
import { digest, Inbox, message, messages, randomMessage, sizeOf, testQueue, type TestMessage } from './test-queue';
import { expectDepth, publishAll, withBroker } from './with-broker';

const REASON = new HistoryError('DECODE_FAILED', 'the bytes are garbage');

/** Rejected messages are kept with their reasons, and can be redelivered. */
export function describeDeadLetters(contract: BrokerContract): void {
  describe('dead letters', () => {
    it('are the rejected messages, with the reasons', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 1 });
        await publishAll(broker, queue, messages(2));
        const inbox = await Inbox.open(broker, queue);
        (await inbox.received(1))[0]?.reject(REASON);
        const next = (await inbox.received(2))[1];
        expect(next).toMatchObject({ message: { n: 2 }, redelivered: false });
        next?.acknowledge();
        await expectDepth(broker, queue, 0);
        expect((await broker.depth(queue)).deadLetters).toBe(1);
        const [deadLetter, ...others] = await broker.deadLetters(queue);
        expect(others).toEqual([]);
        expect(deadLetter?.message).toEqual(message(1));
        expect(deadLetter?.reason).toBeInstanceOf(HistoryError);
        expect(deadLetter?.reason).toMatchObject({ code: REASON.code, message: REASON.message });
      }));

    it('are listed with the oldest first, and stay', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        await rejectAll(broker, queue, messages(15));
        const expected = messages(15).map(({ n }) => n);
        for (let listed = 0; listed < 3; listed++) expect(await numbersOfDead(broker, queue)).toEqual(expected);
      }));

    it('are none for an unused queue', () =>
      withBroker(contract, async (broker) => {
        expect(await broker.deadLetters(testQueue())).toEqual([]);
        expect(await broker.redeliverDeadLetters(testQueue())).toBe(0);
      }));

    it('return to their queue once and whole when they are redelivered', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ maxBytes: 4 * contract.largeBytes });
        const sent = [message(1), randomMessage(2, 2 * contract.largeBytes), message(3)];
        await rejectAll(broker, queue, sent);
        expect((await broker.deadLetters(queue)).map((deadLetter) => digest(deadLetter.message))).toEqual(
          sent.map(digest),
        );
        expect(await broker.redeliverDeadLetters(queue)).toBe(3);
        expect(await broker.deadLetters(queue)).toEqual([]);
        const inbox = await Inbox.open(broker, queue);
        const deliveries = await inbox.received(3);
        expect(deliveries.map((delivery) => digest(delivery.message))).toEqual(sent.map(digest));
        for (const delivery of deliveries) delivery.acknowledge();
        await expectDepth(broker, queue, 0);
      }));

    it('can be rejected again', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        await rejectAll(broker, queue, messages(3));
        await broker.redeliverDeadLetters(queue);
        const inbox = await Inbox.open(broker, queue);
        const again = new HistoryError('BLOCK_REFUSED', 'too large');
        for (const delivery of await inbox.received(3)) delivery.reject(again);
        await expectDepth(broker, queue, 0);
        const deadLetters = await broker.deadLetters(queue);
        expect(deadLetters.map(({ reason }) => reason.code)).toEqual([
          'BLOCK_REFUSED',
          'BLOCK_REFUSED',
          'BLOCK_REFUSED',
        ]);
      }));

    it('are redelivered once each while their consumer rejects them again', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        await rejectAll(broker, queue, messages(3));
        let rejected = 0;
        await broker.consume(queue, (delivery) => {
          // The limit ends a redelivery that has none.
          if (++rejected < 100) delivery.reject(REASON);
        });
        expect(await broker.redeliverDeadLetters(queue)).toBe(3);
        await expectDepth(broker, queue, 0);
        expect(rejected).toBe(3);
        expect(await numbersOfDead(broker, queue)).toEqual([1, 2, 3]);
      }));

    it('are dropped from the oldest on above the limits of messages and bytes', () =>
      withBroker(contract, async (broker) => {
        const many = testQueue({ maxMessages: 2 * MAX_DEAD_LETTERS });
        await rejectAll(broker, many, messages(MAX_DEAD_LETTERS + 5));
        const kept = await numbersOfDead(broker, many);
        expect([kept.length, kept[0], kept.at(-1)]).toEqual([MAX_DEAD_LETTERS, 6, MAX_DEAD_LETTERS + 5]);
        const large = testQueue({ maxBytes: 2 * sizeOf(message(1, 100)) });
        await rejectAll(broker, large, messages(5, 100));
        expect(await numbersOfDead(broker, large)).toEqual([4, 5]);
      }));
  });
}

/** Publishes messages and rejects each delivery. */
async function rejectAll(broker: Broker, queue: Queue<TestMessage>, all: TestMessage[]): Promise<void> {
  let rejected = 0;
  const subscription = await broker.consume(queue, (delivery) => {
    rejected++;
    delivery.reject(REASON);
  });
  await Promise.all(all.map((each) => broker.publish(queue, each)));
  await expectDepth(broker, queue, 0);
  await subscription.cancel();
  expect(rejected).toBe(all.length);
}

async function numbersOfDead(broker: Broker, queue: Queue<TestMessage>): Promise<(number | undefined)[]> {
  return (await broker.deadLetters(queue)).map((deadLetter) => deadLetter.message?.n);
}
