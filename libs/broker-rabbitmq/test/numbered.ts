import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, Delivery, Queue } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';

/** A message of `size` bytes that are derived from its number. */
export interface Numbered {
  n: number;
  size: number;
}

const HEAD_BYTES = 4;

/** A queue of such messages with a unique name. */
export function numberedQueue(bounds: Partial<Queue<Numbered>> = {}): Queue<Numbered> {
  const name = `test-${randomUUID()}`;
  return {
    name,
    deadLetter: `${name}.dead`,
    maxMessages: 256,
    maxBytes: 64 * 1024 * 1024,
    prefetch: 16,
    sizeOf: ({ size }) => size,
    codec: { encode, decode },
    ...bounds,
  };
}

export function numbered(count: number, size: number): Numbered[] {
  return Array.from({ length: count }, (_, index) => ({ n: index + 1, size }));
}

function encode({ n, size }: Numbered): Buffer {
  // The period, a prime, divides no part size, so no part equals another.
  const bytes = Buffer.alloc(size, Buffer.from(Array.from({ length: 251 }, (_, index) => (n * 7 + index) & 0xff)));
  bytes.writeUInt32LE(n);
  return bytes;
}

function decode(bytes: Buffer): Numbered {
  if (bytes.length < HEAD_BYTES) throw new HistoryError('DECODE_FAILED', 'too short');
  const message = { n: bytes.readUInt32LE(), size: bytes.length };
  if (!encode(message).equals(bytes)) throw new HistoryError('DECODE_FAILED', `message ${message.n} has changed`);
  return message;
}

/** The deliveries of a queue so far. */
export interface Received {
  deliveries: Delivery<Numbered>[];
  numbers: number[];
  cancel(): Promise<void>;
}

/** Consumes a queue and calls `settle` with each delivery. */
export async function receive(
  broker: Broker,
  queue: Queue<Numbered>,
  settle: (delivery: Delivery<Numbered>) => void = () => undefined,
): Promise<Received> {
  const received: Received = { deliveries: [], numbers: [], cancel: () => Promise.resolve() };
  const { cancel } = await broker.consume(queue, (delivery) => {
    received.deliveries.push(delivery);
    received.numbers.push(delivery.message.n);
    settle(delivery);
  });
  received.cancel = cancel;
  return received;
}

/** Consumes a queue and acknowledges everything until the numbers 1 to `count` have arrived; gives the number of deliveries. */
export async function receiveAll(broker: Broker, queue: Queue<Numbered>, count: number): Promise<number> {
  const missing = new Set(numbered(count, 0).map(({ n }) => n));
  let deliveries = 0;
  const { cancel } = await broker.consume(queue, ({ message, acknowledge }) => {
    deliveries++;
    missing.delete(message.n);
    acknowledge();
  });
  await until(`all of ${count} messages`, () => missing.size === 0, 150);
  await cancel();
  return deliveries;
}

/**
 * Resolves when `check` holds. The limit only ends a test that has failed, so it has room for a loaded machine.
 */
export async function until(what: string, check: () => Promise<boolean> | boolean, seconds = 45): Promise<void> {
  for (const limit = Date.now() + seconds * 1000; Date.now() < limit;) {
    if (await check()) return;
    await sleep(10);
  }
  throw new Error(`not within ${seconds} seconds: ${what}`);
}
