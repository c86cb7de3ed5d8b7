import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Broker, Delivery, MessageCodec, Queue, Subscription } from '../broker';

/** A message that every adapter can encode. */
export interface TestMessage {
  n: number;
  bytes: Buffer;
}

const NUMBER_BYTES = 4;

/** Layout: the number, then the bytes. */
const testCodec: MessageCodec<TestMessage> = {
  encode: ({ n, bytes }) => {
    const number = Buffer.alloc(NUMBER_BYTES);
    number.writeUInt32LE(n);
    return Buffer.concat([number, bytes]);
  },
  decode: (encoded) => ({ n: encoded.readUInt32LE(0), bytes: encoded.subarray(NUMBER_BYTES) }),
};

/** The encoded size: an adapter may apply the bounds to what it carries. */
export function sizeOf({ bytes }: TestMessage): number {
  return NUMBER_BYTES + bytes.length;
}

/** A queue with a unique name, and with large bounds unless others are given. */
export function testQueue(bounds: Partial<Queue<TestMessage>> = {}): Queue<TestMessage> {
  const name = `contract-${randomUUID()}`;
  return {
    name,
    deadLetter: `${name}.dead`,
    maxMessages: 1_000,
    maxBytes: 1_000_000,
    prefetch: 10,
    sizeOf,
    codec: testCodec,
    ...bounds,
  };
}

export function message(n: number, bytes = 10): TestMessage {
  return { n, bytes: Buffer.alloc(bytes, n & 0xff) };
}

/** A message of random bytes, so that no part of it equals another. */
export function randomMessage(n: number, bytes: number): TestMessage {
  return { n, bytes: randomBytes(bytes) };
}

/** The number and a hash of the bytes. Jest takes seconds to compare large buffers. */
export function digest(message: TestMessage | undefined): string {
  return message ? `${message.n} ${createHash('sha256').update(message.bytes).digest('hex')}` : 'none';
}

export function messages(count: number, bytes = 10): TestMessage[] {
  return Array.from({ length: count }, (_, index) => message(index + 1, bytes));
}

/** Consumes a queue and keeps the deliveries for the test to settle. */
export class Inbox {
  readonly deliveries: Delivery<TestMessage>[] = [];
  private subscription: Subscription | undefined;
  private readonly waiting: (() => void)[] = [];

  static async open(broker: Broker, queue: Queue<TestMessage>): Promise<Inbox> {
    const inbox = new Inbox();
    inbox.subscription = await broker.consume(queue, (delivery) => {
      inbox.deliveries.push(delivery);
      for (const wake of inbox.waiting.splice(0)) wake();
    });
    return inbox;
  }

  /** The numbers of all deliveries, in the order of their arrival. */
  get numbers(): number[] {
    return this.deliveries.map(({ message: { n } }) => n);
  }

  /** Resolves when `count` deliveries have arrived in total. */
  async received(count: number): Promise<Delivery<TestMessage>[]> {
    while (this.deliveries.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.deliveries;
  }

  cancel(): Promise<void> {
    return this.subscription?.cancel() ?? Promise.resolve();
  }
}
