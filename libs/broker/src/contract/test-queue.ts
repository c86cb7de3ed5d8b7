import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Broker, Delivery, MessageCodec, Queue, Subscription } from '../broker';

/** A message that every adapter can make bytes of. */
export interface TestMessage {
  n: number;
  bytes: Buffer;
}

const NUMBER_BYTES = 4;

/** The number, then the bytes. */
const testCodec: MessageCodec<TestMessage> = {
  encode: ({ n, bytes }) => {
    const number = Buffer.alloc(NUMBER_BYTES);
    number.writeUInt32LE(n);
    return Buffer.concat([number, bytes]);
  },
  decode: (encoded) => ({ n: encoded.readUInt32LE(0), bytes: encoded.subarray(NUMBER_BYTES) }),
};

/** How large a message is in a queue: an adapter may count what it carries, so the bounds are of that. */
export function sizeOf({ bytes }: TestMessage): number {
  return NUMBER_BYTES + bytes.length;
}

/** A queue that no other test has, roomy unless told otherwise. */
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

/** One whose bytes are unlike each other, so that none can take another's place. */
export function randomMessage(n: number, bytes: number): TestMessage {
  return { n, bytes: randomBytes(bytes) };
}

/** Its number and the hash of its bytes: Jest compares large buffers byte by byte, in seconds. */
export function digest(message: TestMessage | undefined): string {
  return message ? `${message.n} ${createHash('sha256').update(message.bytes).digest('hex')}` : 'none';
}

export function messages(count: number, bytes = 10): TestMessage[] {
  return Array.from({ length: count }, (_, index) => message(index + 1, bytes));
}

/** Takes what a queue delivers and keeps it until it is told what to do. */
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

  /** The numbers of all messages that came, in the order of coming. */
  get numbers(): number[] {
    return this.deliveries.map(({ message: { n } }) => n);
  }

  /** Resolves when so many messages came in all. */
  async received(count: number): Promise<Delivery<TestMessage>[]> {
    while (this.deliveries.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.deliveries;
  }

  cancel(): Promise<void> {
    return this.subscription?.cancel() ?? Promise.resolve();
  }
}
