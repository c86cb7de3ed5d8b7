import fc from 'fast-check';
import { batchLimit, ONE_MESSAGE, takeBatch, type BatchLimit } from './batch-limit';

const BOUNDS = { maxMessages: 256, maxBytes: 1_000_000 };

/** The size of the batch that a limit allows when many messages of `bytes` bytes are unconfirmed. */
function batchSize(limit: BatchLimit, bytes: number): number {
  return takeBatch(Array<number>(1_000).fill(bytes), limit, (size) => size).length;
}

describe('the batch limit', () => {
  it('is 32 messages for an empty queue, and falls to one when the queue is half full', () => {
    const sizes = [0, 96, 100, 120, 127, 128, 256].map((waiting) =>
      batchSize(batchLimit(BOUNDS, { waiting, averageBytes: 100 }), 100),
    );
    expect(sizes).toEqual([32, 32, 28, 8, 1, 1, 1]);
  });

  it('falls with the bytes that are likely to wait in the queue', () => {
    const bounds = { ...BOUNDS, maxBytes: 8_000_000 };
    const sizes = [0, 60, 70, 78, 80].map((waiting) =>
      batchSize(batchLimit(bounds, { waiting, averageBytes: 50_000 }), 50_000),
    );
    expect(sizes).toEqual([20, 20, 10, 2, 1]);
  });

  it('is always one message of any size', () => {
    expect(batchSize(ONE_MESSAGE, 1_000_000_000)).toBe(1);
    expect(takeBatch([], ONE_MESSAGE, () => 1)).toEqual([]);
  });

  it('never fills a queue with more than one message beyond half of its bounds', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.nat(2_000), { maxLength: 100, size: 'max' }),
        (maxMessages, maxBytes, sizes) => {
          const queue: number[] = [];
          for (const left = [...sizes]; left.length > 0;) {
            const averageBytes = Math.max(...sizes);
            const limit = batchLimit({ maxMessages, maxBytes }, { waiting: queue.length, averageBytes });
            const batch = takeBatch(left, limit, (size) => size);
            queue.push(...left.splice(0, batch.length));
            if (batch.length === 1) continue;
            expect(queue.length).toBeLessThanOrEqual(maxMessages / 2);
            expect(queue.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxBytes / 2);
          }
        },
      ),
    ));

  it('lets no queue refuse a message of a batch and accept a later one, of four publishers at once', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 64, max: 256 }),
        fc.array(fc.tuple(fc.nat(3), fc.constantFrom('count', 'send', 'arrive', 'arrive'), fc.nat(60)), {
          minLength: 50,
          maxLength: 200,
          size: 'max',
        }),
        (maxMessages, turns) => {
          const queue = { waiting: 0, maxMessages };
          const publishers = [0, 1, 2, 3].map(() => new SimulatedPublisher(queue));
          for (const publisher of publishers) publisher.count();
          for (const [index, turn, times] of turns) {
            for (let time = 0; time <= times; time++) publishers[index]?.[turn]();
          }
        },
      ),
      { numRuns: 500 },
    ));
});

/** Sends batches that arrive message by message, at any time; no consumer takes messages from the queue. */
class SimulatedPublisher {
  private limit = ONE_MESSAGE;
  private inFlight = 0;

  constructor(private readonly queue: { waiting: number; maxMessages: number }) {}

  /** Only between two batches. */
  count(): void {
    const { waiting, maxMessages } = this.queue;
    if (this.inFlight === 0) this.limit = batchLimit({ maxMessages, maxBytes: Infinity }, { waiting, averageBytes: 1 });
  }

  send(): void {
    if (this.inFlight > 0) return;
    this.inFlight = batchSize(this.limit, 1);
    this.limit = ONE_MESSAGE;
  }

  arrive(): void {
    if (this.inFlight === 0) return;
    this.inFlight--;
    if (this.queue.waiting < this.queue.maxMessages) this.queue.waiting++;
    else expect(this.inFlight).toBe(0);
  }
}
