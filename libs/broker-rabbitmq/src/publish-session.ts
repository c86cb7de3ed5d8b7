import type { ConfirmChannel } from 'amqplib';
import type { QueueBounds } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connections';
import type { Bell } from './bell';
import type { LiveChannel } from './live-channel';
import { partsQueueName, sendParts, toHeaders } from './message-parts';
import type { Outbox, Outgoing } from './outbox';
import { pause } from './pause';
import { PublishWindow } from './publish-window';
import { isQueueGone, QueueGoneError } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';

const LOOK_MIN_MS = 5;
const LOOK_MAX_MS = 50;
/** Then a full queue is tried again though it looks no emptier: it may have been, and filled by others. */
const LOOKS_AT_FULL = 12;

/** Where a publisher's messages go. */
export interface Destination {
  queue: QueueBounds;
  /** The queue's name, or that of its dead letters. */
  to: string;
}

/** Publishes what is in an outbox, over one channel and no longer than it lasts. */
export class PublishSession {
  private readonly window: PublishWindow;
  private readonly looks = new Backoff(LOOK_MIN_MS, LOOK_MAX_MS);
  private readonly returned = new Set<string>();
  private messageId = 0;
  private isFull = false;
  private isGone = false;
  private looking = false;

  private constructor(
    private readonly live: LiveChannel<ConfirmChannel>,
    private readonly destination: Destination,
    private readonly outbox: Outbox,
    private readonly bell: Bell,
    /** Above which size a message is split. */
    private readonly splitBytes: number,
  ) {
    this.window = new PublishWindow(destination.queue);
    live.channel.on('return', ({ properties }) => this.returned.add(String(properties.messageId)));
    void live.ended.then(() => bell.ring());
  }

  /** Publishes until `signal` is raised; rejects with what ended the channel. `bell` rings when the outbox has changed. */
  static async run(
    connection: ServerConnection,
    destination: Destination,
    { outbox, bell, splitBytes, signal }: { outbox: Outbox; bell: Bell; splitBytes: number; signal: AbortSignal },
  ): Promise<void> {
    await connection.declare(destination.queue);
    const live = await connection.openConfirmChannel();
    const session = new PublishSession(live, destination, outbox, bell, splitBytes);
    try {
      await session.publish(signal);
    } catch (error) {
      // What a reply says is that there is no channel any more, not why.
      const reason = live.endedBecause ?? error;
      if (isQueueGone(reason)) connection.forget(destination.queue);
      throw reason;
    } finally {
      await live.close();
    }
  }

  private async publish(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.live.endedBecause) throw this.live.endedBecause;
      if (this.isGone) throw new QueueGoneError(this.destination.to);
      const next = this.outbox.next;
      if (!next || !this.window.admits(this.contentOf(next).length)) await this.bell.wait();
      else if (this.isFull) await this.untilRoom(signal);
      else if (this.isLarge(next)) await this.split(next);
      else this.send(this.outbox.take());
    }
  }

  private isLarge({ isWhole, split, body }: Outgoing): boolean {
    return !isWhole && !split && body.length > this.headBytes;
  }

  /** A part of the message that leaves no room for another in the smallest of queues. */
  private get headBytes(): number {
    return Math.min(this.splitBytes, this.destination.queue.maxBytes);
  }

  private contentOf({ body, isWhole, split }: Outgoing): Buffer {
    return isWhole ? body : body.subarray(0, split?.headBytes ?? this.headBytes);
  }

  private async split(message: Outgoing): Promise<void> {
    const { headBytes, splitBytes } = this;
    const queue = (message.partsQueue ??= partsQueueName(this.destination.queue));
    const rest = message.body.subarray(headBytes);
    const count = await sendParts(this.live, { queue, rest, partBytes: splitBytes });
    message.split = { headBytes, headers: toHeaders({ queue, count, bytes: message.body.length }) };
  }

  private send(message: Outgoing): void {
    const content = this.contentOf(message);
    const messageId = String(++this.messageId);
    const headers = { ...message.headers, ...message.split?.headers };
    // Mandatory: what no queue takes is confirmed as well, and has to come back to be noticed.
    const options = { persistent: true, mandatory: true, messageId, headers };
    const settled = (error: Error | null): void => {
      this.window.settled();
      if (error) this.notConfirmed(message);
      else if (this.returned.delete(messageId)) this.notRouted(message);
      else this.outbox.confirm(message);
      this.bell.ring();
    };
    this.window.sent(content.length);
    try {
      this.live.channel.sendToQueue(this.destination.to, content, options, settled);
    } catch (error) {
      settled(error as Error);
      throw error;
    }
    this.look();
  }

  private notConfirmed(message: Outgoing): void {
    if (this.live.endedBecause) {
      // It may be in the queue all the same: its parts are that message's.
      message.partsQueue = message.split = undefined;
    } else {
      this.isFull = true;
      this.window.refused();
    }
    this.outbox.putBack(message);
  }

  private notRouted(message: Outgoing): void {
    this.isGone = true;
    this.outbox.putBack(message);
  }

  /** Sees how much room there is while messages are under way, when others wait to follow them. */
  private look(): void {
    if (this.looking || !this.outbox.next) return;
    this.looking = true;
    this.window.looks();
    const looked = (): void => {
      this.looking = false;
      this.bell.ring();
    };
    this.waiting().then((waiting) => {
      this.window.seen(waiting);
      looked();
    }, looked);
  }

  /** Asks instead of sending the message again and again: it may be large. */
  private async untilRoom(signal: AbortSignal): Promise<void> {
    const before = await this.waiting();
    this.looks.reset();
    for (let looks = 0; looks < LOOKS_AT_FULL && !signal.aborted; looks++) {
      await pause(this.looks.next(), signal);
      if ((await this.waiting()) < before) break;
    }
    this.isFull = false;
  }

  private async waiting(): Promise<number> {
    return (await this.live.channel.checkQueue(this.destination.to)).messageCount;
  }
}
