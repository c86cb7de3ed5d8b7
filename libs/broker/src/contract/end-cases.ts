import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { HistoryError } from '@antelope-history/schemas';
import type { BrokerContract } from './broker-under-test';
import { Inbox, message, messages, testQueue } from './test-queue';
import { publishAll, withBroker } from './with-broker';

const REASON = new HistoryError('DECODE_FAILED', 'the bytes are garbage');

/** Behaviour during and after `close`. */
export function describeEnds(contract: BrokerContract): void {
  describe('close', () => {
    it('rejects publishes that wait', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ maxMessages: 2 });
        await publishAll(broker, queue, messages(2));
        const waiting = [3, 4].map((n) => broker.publish(queue, message(n)));
        const rejections = waiting.map((each) =>
          expect(each).rejects.toMatchObject({ code: 'STOPPED', retryable: true }),
        );
        await broker.close();
        await Promise.all(rejections);
      }));

    it('rejects later publishes and consumers', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue();
        await broker.publish(queue, message(1));
        await broker.close();
        await expect(broker.publish(queue, message(2))).rejects.toMatchObject({ code: 'STOPPED' });
        await expect(Inbox.open(broker, queue)).rejects.toMatchObject({ code: 'STOPPED' });
        await broker.close();
      }));

    it('stops the deliveries, and makes late settlements harmless', () =>
      withBroker(contract, async (broker) => {
        const queue = testQueue({ prefetch: 2 });
        const inbox = await Inbox.open(broker, queue);
        await publishAll(broker, queue, messages(4));
        const [first, second] = await inbox.received(2);
        await broker.close();
        first?.acknowledge();
        second?.requeue();
        await inbox.cancel();
        await setTimeout(contract.patienceMs);
        expect(inbox.numbers).toEqual([1, 2]);
      }));

    const { durability } = contract;
    if ('reconnect' in durability) {
      it('completes the rejections before', () =>
        withBroker(contract, async (broker) => {
          const queue = testQueue();
          const inbox = await Inbox.open(broker, queue);
          await publishAll(broker, queue, messages(5));
          for (const delivery of await inbox.received(5)) delivery.reject(REASON);
          await broker.close();
          const next = await durability.reconnect();
          expect(await next.depth(queue)).toEqual({ messages: 0, deadLetters: 5 });
        }));

      it('leaves unsettled messages to the next connection', () =>
        withBroker(contract, async (broker) => {
          const queue = testQueue({ prefetch: 2 });
          const inbox = await Inbox.open(broker, queue);
          await publishAll(broker, queue, messages(4));
          (await inbox.received(2))[0]?.acknowledge();
          await broker.close();
          const next = await Inbox.open(await durability.reconnect(), queue);
          for (let at = 0; at < 3; at++) (await next.received(at + 1))[at]?.acknowledge();
          expect(next.numbers).toEqual([2, 3, 4]);
          expect(next.deliveries[0]?.redelivered).toBe(true);
        }));
    }
  });
}
