import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { HistoryError } from '@antelope-history/schemas';
import type { Broker, Queue } from '../broker';
import type { BrokerContract } from './broker-under-test';
import { Inbox, message, messages, randomMessage, sizeOf, testQueue, type TestMessage } from './test-queue';
import { expectDepth, publishAll, withBroker } from './with-broker';

const REASON = new HistoryError('DECODE_FAILED', 'the bytes are garbage');

/** Order, settlement and redelivery. */
export function describeDelivery(contract: BrokerContract): void {
  describe('deliveries', () => {
    it('come whole and in the order of publishing', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        const sent = messages(200, 1_000);
        const inbox = await Inbox.open(broker, queue);
        await publishAll(broker, queue, sent);
        for (let next = 0; next < sent.length; next++) {
          const delivery = (await inbox.received(next + 1))[next];
          expect(delivery?.message).toEqual(sent[next]);
          expect(delivery?.redelivered).toBe(false);
          delivery?.acknowledge();
        }
        await expectDepth(broker, queue, 0);
      }));

    it('have the size of their message, also of one that a broker divides', () =>
      withBroker(contract, async (broker) => {
        const sent = [message(1, 1_000), randomMessage(2, 2 * contract.largeBytes), message(3)];
        const queue = testQueue({ maxBytes: 4 * contract.largeBytes });
        await publishAll(broker, queue, sent);
        const inbox = await Inbox.open(broker, queue);
        expect((await inbox.received(3)).map(({ bytes }) => bytes)).toEqual(sent.map(sizeOf));
      }));

    it('wait in the queue for a consumer', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        await publishAll(broker, queue, messages(5));
        expect(await broker.depth(queue)).toMatchObject({ messages: 5 });
        const inbox = await Inbox.open(broker, queue);
        await inbox.received(5);
        expect(inbox.numbers).toEqual([1, 2, 3, 4, 5]);
      }));

    it('stop at the prefetch until a message is settled', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 3 });
        const inbox = await Inbox.open(broker, queue);
        await publishAll(broker, queue, messages(8));
        await inbox.received(3);
        await setTimeout(contract.patienceMs);
        expect(inbox.numbers).toEqual([1, 2, 3]);
        inbox.deliveries[1]?.acknowledge();
        await inbox.received(4);
        await setTimeout(contract.patienceMs);
        expect(inbox.numbers).toEqual([1, 2, 3, 4]);
        await expectDepth(broker, queue, 7);
      }));

    it('stop at the prefetch also when the bytes have stopped them before', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 3, maxBytes: 60_000 });
        const sent = [50_000, 20_000, 5_000, 10, 10, 10, 10].map((bytes, index) => message(index + 1, bytes));
        const publishing = publishAll(broker, queue, sent);
        const inbox = await Inbox.open(broker, queue);
        const [first] = await inbox.received(1);
        await setTimeout(contract.patienceMs);
        expect(inbox.numbers).toEqual([1]);
        first?.acknowledge();
        await inbox.received(4);
        await setTimeout(contract.patienceMs);
        expect(inbox.numbers).toEqual([1, 2, 3, 4]);
        for (let next = 1; next < sent.length; next++) (await inbox.received(next + 1))[next]?.acknowledge();
        await publishing;
        await expectDepth(broker, queue, 0);
      }));

    it('are acknowledged one by one', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        await publishAll(broker, queue, messages(4));
        const inbox = await Inbox.open(broker, queue);
        const [, second, , fourth] = await inbox.received(4);
        second?.acknowledge();
        fourth?.acknowledge();
        await expectDepth(broker, queue, 2);
        await inbox.cancel();
        const next = await Inbox.open(broker, queue);
        await next.received(2);
        expect(next.numbers).toEqual([1, 3]);
      }));

    it('are lost when their subscription ends before they are settled', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 2 });
        await publishAll(broker, queue, messages(2));
        const inbox = await Inbox.open(broker, queue);
        const deliveries = await inbox.received(2);
        expect(deliveries.map((delivery) => delivery.isLost())).toEqual([false, false]);
        await inbox.cancel();
        expect(deliveries.map((delivery) => delivery.isLost())).toEqual([true, true]);
      }));

    it('come again first, marked as redelivered, when they are requeued', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 1 });
        await publishAll(broker, queue, messages(3));
        const inbox = await Inbox.open(broker, queue);
        (await inbox.received(1))[0]?.requeue();
        const again = (await inbox.received(2))[1];
        expect(again).toMatchObject({ message: { n: 1 }, redelivered: true });
        again?.acknowledge();
        expect((await inbox.received(3))[2]).toMatchObject({ message: { n: 2 }, redelivered: false });
      }));

    it('are settled once, whatever methods are called afterwards', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 3 });
        await publishAll(broker, queue, messages(4));
        const inbox = await Inbox.open(broker, queue);
        const [first, second, third] = await inbox.received(3);
        for (const settle of [() => first?.acknowledge(), () => first?.reject(REASON), () => first?.requeue()])
          settle();
        for (const settle of [() => second?.reject(REASON), () => second?.acknowledge()]) settle();
        for (const settle of [() => third?.requeue(), () => third?.acknowledge()]) settle();
        const rest = (await inbox.received(5)).slice(3);
        await setTimeout(contract.patienceMs);
        expect(inbox.deliveries).toHaveLength(5);
        expect(rest.map(({ message: { n } }) => n).sort()).toEqual([3, 4]);
        for (const delivery of rest) delivery.acknowledge();
        await expectDepth(broker, queue, 0);
        expect(await broker.deadLetters(queue)).toHaveLength(1);
      }));

    it('are distributed among several consumers, each message to one of them', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 5 });
        const counts = [0, 0, 0, 0];
        const received: number[] = [];
        for (const index of counts.keys()) {
          await broker.consume(queue, (delivery) => {
            counts[index] = (counts[index] ?? 0) + 1;
            received.push(delivery.message.n);
            void setTimeout(1).then(() => delivery.acknowledge());
          });
        }
        await publishAll(broker, queue, messages(200));
        await expectDepth(broker, queue, 0);
        expect(received.sort((left, right) => left - right)).toEqual(messages(200).map(({ n }) => n));
        expect(Math.min(...counts)).toBeGreaterThan(0);
      }));

    it('return to the queue in order when their consumer is cancelled, and come again', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 4 });
        await publishAll(broker, queue, messages(6));
        const cancelled = await Inbox.open(broker, queue);
        const [, second] = await cancelled.received(4);
        second?.acknowledge();
        await cancelled.received(5);
        await cancelled.cancel();
        const inbox = await Inbox.open(broker, queue);
        await takeAll(inbox, 5);
        expect(inbox.numbers).toEqual([1, 3, 4, 5, 6]);
        expect(inbox.deliveries.map(({ redelivered }) => redelivered)).toEqual([true, true, true, true, false]);
      }));

    it('return to the queue before all others when several consumers are cancelled', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 2 });
        const first = await Inbox.open(broker, queue);
        const second = await Inbox.open(broker, queue);
        await publishAll(broker, queue, messages(6));
        await Promise.all([first.received(2), second.received(2)]);
        const returned = [first, second].flatMap(({ numbers }) => [...numbers]);
        await first.cancel();
        await second.cancel();
        const inbox = await Inbox.open(broker, queue);
        await takeAll(inbox, 6);
        if (contract.restoresOrder) returned.sort((left, right) => left - right);
        expect(inbox.numbers).toEqual([...returned, 5, 6]);
      }));

    it('cannot be settled after their consumer is cancelled', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        await publishAll(broker, queue, messages(2));
        const cancelled = await Inbox.open(broker, queue);
        const [first, second] = await cancelled.received(2);
        await cancelled.cancel();
        first?.acknowledge();
        second?.requeue();
        await expectDepth(broker, queue, 2);
      }));

    it('cannot be settled, and come no more, while their consumer is being cancelled', () =>
      withBroker(contract, async (broker) => {
        const size = sizeOf(message(1, 100));
        const queue = testQueue({ maxBytes: 2 * size });
        const publishing = publishAll(broker, queue, messages(3, 100));
        const inbox = await Inbox.open(broker, queue);
        const [first, second] = await inbox.received(2);
        // A broker may hold the third already, until the first has left.
        await setTimeout(contract.patienceMs);
        first?.reject(REASON);
        const cancelling = inbox.cancel();
        second?.acknowledge();
        await cancelling;
        await publishing;
        await expectDepth(broker, queue, 2);
        expect(inbox.numbers).toEqual([1, 2]);
      }));

    it('count for the depth of their own queue only', () =>
      withBroker(contract, async (broker) => {
        const [queue, other] = [testQueue(), testQueue()];
        await publishAll(broker, queue, messages(3));
        const inbox = await Inbox.open(broker, queue);
        await inbox.received(3);
        await broker.publish(other, message(1));
        expect((await broker.depth(other)).messages).toBe(1);
        expect((await broker.depth(queue)).messages).toBe(3);
      }));

    it('are settled exactly once each, however their consumers come and go', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 5, maxMessages: 20 });
        const settled = await settleErratically(broker, queue, messages(300));
        const dead = (await broker.deadLetters(queue)).map((deadLetter) => deadLetter.message?.n ?? -1);
        expect([...settled, ...dead].sort((left, right) => left - right)).toEqual(messages(300).map(({ n }) => n));
        expect(dead.length).toBeGreaterThan(10);
        await expectDepth(broker, queue, 0);
      }));
  });
}

async function takeAll(inbox: Inbox, count: number): Promise<void> {
  for (let next = 0; next < count; next++) (await inbox.received(next + 1))[next]?.acknowledge();
}

/** Consumes with short-lived consumers that acknowledge, requeue, reject or ignore messages; gives the acknowledged numbers. */
async function settleErratically(
  broker: Broker,
  queue: Queue<TestMessage>,
  all: readonly TestMessage[],
): Promise<number[]> {
  const acknowledged: number[] = [];
  let rejected = 0;
  const publishing = Promise.all(all.map((each) => broker.publish(queue, each)));
  for (let turn = 0; acknowledged.length + rejected < all.length; turn++) {
    const left = all.length - acknowledged.length - rejected;
    const inbox = await Inbox.open(broker, queue);
    const deliveries = await inbox.received(Math.min(left, 1 + (turn % queue.prefetch)));
    for (const [index, delivery] of [...deliveries].entries()) {
      const choice = (turn + 3 * index) % 7;
      if (choice < 4) {
        delivery.acknowledge();
        acknowledged.push(delivery.message.n);
      } else if (choice === 4) {
        delivery.reject(REASON);
        rejected++;
      } else if (choice === 5) delivery.requeue();
    }
    await inbox.cancel();
  }
  await publishing;
  return acknowledged;
}
