import type { Queue } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { deadLetterHeaders } from './dead-letter-headers';
import { listDeadLetters } from './dead-letters';
import type { ServerConnection } from './server-connection';

const QUEUE: Queue<string> = {
  name: 'numbers',
  deadLetter: 'numbers.dead',
  maxMessages: 10,
  maxBytes: 1,
  prefetch: 1,
  sizeOf: (text) => text.length,
  codec: { encode: (text) => Buffer.from(text), decode: (bytes) => bytes.toString() },
};

/** A queue that returns a message only when it has been counted twice: how long a server takes is by chance. */
class SlowQueue {
  readonly counts: number[] = [];
  private fetched = 0;

  constructor(private readonly messages: readonly string[]) {}

  readonly connection = {
    declare: () => Promise.resolve(),
    openChannel: () =>
      Promise.resolve({
        within: (reply: Promise<unknown>) => reply,
        amqp: { get: () => this.get(), nack: () => undefined, checkQueue: () => this.count() },
        close: () => Promise.resolve(),
      }),
  } as unknown as ServerConnection;

  private get(): Promise<unknown> {
    const text = this.messages[this.fetched];
    if (text === undefined) return Promise.resolve(false);
    this.fetched++;
    const reason = new HistoryError('BLOCK_REFUSED', 'no');
    const headers = deadLetterHeaders(
      { properties: {} } as Parameters<typeof deadLetterHeaders>[0],
      QUEUE.name,
      reason,
    );
    const fields = { messageCount: this.messages.length - this.fetched };
    return Promise.resolve({ content: Buffer.from(text), fields, properties: { headers } });
  }

  private count(): Promise<{ messageCount: number }> {
    const isReturned = this.counts.length >= 2;
    const messageCount = this.messages.length - (isReturned ? 0 : this.fetched);
    this.counts.push(messageCount);
    return Promise.resolve({ messageCount });
  }
}

describe('a list of dead letters', () => {
  it.each<[string[], string[], number[]]>([
    [['a'], ['a'], [0, 0, 1]],
    [['two', 'three', 'four', 'five'], ['two'], [3, 3, 4]],
    [[], [], [0]],
  ])('of %j is complete when the queue has all of them again', async (messages, listed, counts) => {
    const slow = new SlowQueue(messages);
    const letters = await listDeadLetters(slow.connection, QUEUE);
    expect(letters.map(({ message }) => message)).toEqual(listed);
    expect(slow.counts).toEqual(counts);
  });
});
