import type { Queue } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import fc from 'fast-check';
import { MemoryBroker } from './memory-broker';

function queueOf(bounds: Partial<Queue<number>> = {}): Queue<number> {
  return {
    name: 'numbers',
    deadLetter: 'numbers.dead',
    maxMessages: 10,
    maxBytes: 1_000,
    prefetch: 100,
    sizeOf: (bytes) => bytes,
    codec: { encode: () => Buffer.alloc(0), decode: () => 0 },
    ...bounds,
  };
}

const REASON = new HistoryError('DECODE_FAILED', 'invalid');

describe('MemoryBroker', () => {
  it('keeps its bounds for all message sizes and serves publishers in order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(100), fc.nat(3_000)), { maxLength: 80, size: 'max' }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (sizes, maxMessages, batchSize) => {
          const queue = queueOf({ maxMessages });
          const broker = new MemoryBroker();
          const received: number[] = [];
          let held: (() => void)[] = [];
          await broker.consume(queue, ({ message, acknowledge }) => {
            received.push(message);
            held.push(acknowledge);
          });
          const published = Promise.all(sizes.map((bytes) => broker.publish(queue, bytes)));
          while (received.length < sizes.length || held.length > 0) {
            await new Promise((resolve) => setImmediate(resolve));
            const { messages, bytes } = await broker.depth(queue);
            expect(messages).toBeLessThanOrEqual(maxMessages);
            expect(bytes - (received.at(-1) ?? 0)).toBeLessThan(queue.maxBytes);
            const settled = held.slice(0, batchSize);
            held = held.slice(batchSize);
            for (const acknowledge of settled) acknowledge();
          }
          await published;
          expect(received).toEqual(sizes);
          expect(await broker.depth(queue)).toEqual({ messages: 0, bytes: 0, deadLetters: 0 });
        },
      ),
      { numRuns: 60 },
    ));

  it('holds at most 8 MiB in a queue with a higher bound, or one larger message', async () => {
    const queue = queueOf({ maxBytes: 2 ** 30 });
    const broker = new MemoryBroker();
    const third = 3 * 1024 * 1024;
    const published = [third, third, third, 20 * 1024 * 1024].map((bytes) => broker.publish(queue, bytes));
    await Promise.all(published.slice(0, 2));
    expect(await broker.depth(queue)).toEqual({ messages: 2, bytes: 2 * third, deadLetters: 0 });
    const most: number[] = [];
    await broker.consume(queue, ({ acknowledge }) => {
      void broker.depth(queue).then(({ bytes }) => most.push(bytes));
      setImmediate(acknowledge);
    });
    await Promise.all(published);
    expect(Math.max(...most)).toBe(20 * 1024 * 1024);
    await broker.close();
  });

  it('keeps the newest dead letters within the bounds of the queue', async () => {
    const queue = queueOf({ maxBytes: 1_000, maxMessages: 5_000 });
    const broker = new MemoryBroker();
    await broker.consume(queue, ({ reject }) => reject(REASON));
    for (const bytes of [400, 500, 450, 5]) await broker.publish(queue, bytes);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await broker.deadLetters(queue)).map(({ message }) => message)).toEqual([500, 450, 5]);
    await broker.publish(queue, 9_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await broker.deadLetters(queue)).map(({ message }) => message)).toEqual([9_999]);
    for (let count = 0; count < 1_500; count++) await broker.publish(queue, 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await broker.deadLetters(queue)).toHaveLength(1_000);
  });

  it('does not block the event loop when a consumer requeues at once', async () => {
    const queue = queueOf();
    const broker = new MemoryBroker();
    let deliveries = 0;
    await broker.consume(queue, ({ requeue }) => {
      deliveries++;
      requeue();
    });
    await broker.publish(queue, 1);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(deliveries).toBeGreaterThan(5);
    await broker.close();
  });
});
