import type { QueueBounds } from '@antelope-history/broker';

/** More are of no use: the server writes many to disk at once. */
const MOST_UNDER_WAY = 32;
const SHARES = 8;

/** Messages and their bytes. */
interface Amount {
  messages: number;
  bytes: number;
}

const NOTHING: Amount = { messages: 0, bytes: 0 };

/**
 * How many messages may be under way to a queue without being confirmed. Where there is room, several: the way to the
 * server and its disk takes longer than a message. From half full on, one: of several the server might refuse the first
 * and take the second, and their order would be lost. The other half is for others that look at the same time: after a
 * look each sends an eighth of what the queue takes at most, so four publishers never fill it.
 */
export class PublishWindow {
  private underWay = 0;
  private room = NOTHING;
  private sentSinceLook = NOTHING;
  private averageBytes = 0;

  constructor(private readonly bounds: Pick<QueueBounds, 'maxMessages' | 'maxBytes'>) {}

  admits(bytes: number): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < MOST_UNDER_WAY && this.room.messages >= 1 && this.room.bytes >= bytes;
  }

  sent(bytes: number): void {
    this.underWay++;
    this.averageBytes = this.averageBytes === 0 ? bytes : this.averageBytes + (bytes - this.averageBytes) / 16;
    const one = { messages: 1, bytes };
    this.room = minus(this.room, one);
    this.sentSinceLook = plus(this.sentSinceLook, one);
  }

  settled(): void {
    this.underWay--;
  }

  /** The queue is being looked at: what was sent by now is seen. */
  looks(): void {
    this.sentSinceLook = NOTHING;
  }

  /** So many messages waited in the queue when it was looked at; the server does not say how large they are. */
  seen(waiting: number): void {
    const { maxMessages, maxBytes } = this.bounds;
    const seen = {
      messages: Math.min(maxMessages / 2 - waiting, maxMessages / SHARES),
      bytes: Math.min(maxBytes / 2 - waiting * this.averageBytes, maxBytes / SHARES),
    };
    this.room = minus(seen, this.sentSinceLook);
  }

  /** The queue is full: one at a time until it was looked at again. */
  refused(): void {
    this.room = NOTHING;
  }
}

function plus(left: Amount, right: Amount): Amount {
  return { messages: left.messages + right.messages, bytes: left.bytes + right.bytes };
}

function minus(left: Amount, right: Amount): Amount {
  return { messages: left.messages - right.messages, bytes: left.bytes - right.bytes };
}
