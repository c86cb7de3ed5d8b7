import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfirmChannel } from 'amqplib';
import type { QueueBounds } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connectivity';
import { hasErrorCode, type HistoryError } from '@antelope-history/schemas';
import { batchLimit, ONE_MESSAGE, takeBatch } from './batch-limit';
import { partsQueueName, sendParts, toHeaders, type Headers } from './message-parts';
import { acceptingAgainAt, type QueueType } from './queue-arguments';
import { QueueGoneError } from './rabbitmq-errors';
import type { ServerChannel } from './server-channel';
import type { ServerConnection } from './server-connection';

const POLL_MIN_MS = 5;
const POLL_MAX_MS = 50;
/** After so many polls a full queue is tried again, though its count is no lower: other publishers may have refilled it. */
const MAX_POLLS = 12;
/**
 * After so many batches of which nothing was confirmed another channel is used. A channel that was opened right after the loss of a
 * quorum queue's leader was seen to refuse every message without end, while the queue was empty (RabbitMQ 3.10.8).
 */
const MAX_REFUSED_BATCHES = 20;
/** How many messages the average size covers, about. */
const AVERAGED_MESSAGES = 16;

/** Where a publisher's messages go. */
export interface Destination {
  queue: QueueBounds;
  /** The name of the queue, or of its dead-letter queue. */
  to: string;
}

/** A message to publish. */
export interface Outgoing {
  body: Buffer;
  headers: Headers;
  /** False for a message that came from the server: it fits, and its headers may name parts already. */
  mayBeSplit: boolean;
  /** The queue for the parts of a message that is split; undefined before the first attempt. */
  partsQueue: string | undefined;
  /** Set when the parts are confirmed: how many bytes the message itself carries, and the headers that name the parts. */
  split: { headBytes: number; headers: Headers } | undefined;
  confirmed(): void;
  failed(error: HistoryError): void;
}

/**
 * Publishes messages in their order over one channel, until that ends. They are sent in batches: the next one follows when all
 * of the last are confirmed, and is so small that the queue has room for it. A message that a full queue refuses stays the first
 * one and is sent again when there is room.
 */
export class PublishSession {
  /** Resolves with the reason when the channel has ended, or can no longer be used. */
  readonly ended: Promise<unknown>;
  private isPublishing = false;
  private hasFailed = false;
  private averageBytes = 0;
  private lastMessageId = 0;
  private refusedBatches = 0;
  private readonly returned = new Set<string>();
  private fail: (reason: unknown) => void = () => undefined;

  private constructor(
    private readonly channel: ServerChannel<ConfirmChannel>,
    private readonly destination: Destination,
    /** The messages that are not confirmed, in order. A message is removed when it is confirmed. */
    private readonly messages: Set<Outgoing>,
    /** Above this size a message is split. */
    private readonly splitBytes: number,
    private readonly queueType: QueueType,
  ) {
    channel.amqp.on('return', ({ properties }) => this.returned.add(String(properties.messageId)));
    const failed = new Promise((resolve) => {
      this.fail = (reason) => {
        this.hasFailed = true;
        // The error of a call only says that the channel has ended, not why.
        resolve(channel.endReason ?? reason);
      };
    });
    this.ended = Promise.race([channel.ended, failed]);
  }

  static async open(
    connection: ServerConnection,
    destination: Destination,
    messages: Set<Outgoing>,
    splitBytes: number,
  ): Promise<PublishSession> {
    await connection.declare(destination.queue);
    const channel = await connection.openConfirmChannel();
    return new PublishSession(channel, destination, messages, splitBytes, connection.queueType);
  }

  /** Publishes what was added; the caller calls it after it has added a message. */
  publish(): void {
    if (!this.isPublishing) void this.publishAll();
  }

  close(): Promise<void> {
    return this.channel.close();
  }

  private get isOpen(): boolean {
    return !this.hasFailed && !this.channel.endReason;
  }

  private async publishAll(): Promise<void> {
    this.isPublishing = true;
    try {
      while (this.isOpen && this.messages.size > 0) await this.publishBatch();
    } catch (error) {
      this.fail(error);
    } finally {
      this.isPublishing = false;
    }
  }

  private async publishBatch(): Promise<void> {
    const { queue } = this.destination;
    const { averageBytes } = this;
    const limit =
      this.messages.size === 1 ? ONE_MESSAGE : batchLimit(queue, { waiting: await this.countWaiting(), averageBytes });
    const outcomes: Promise<'confirmed' | 'refused'>[] = [];
    for (const message of takeBatch(this.messages, limit, (each) => this.contentOf(each).length)) {
      if (this.isLarge(message)) await this.split(message);
      const outcome = this.send(message);
      // It is awaited later; until then a rejection would count as unhandled.
      outcome.catch(() => undefined);
      outcomes.push(outcome);
    }
    const settled: ('confirmed' | 'refused')[] = [];
    // The limit of replies holds for each of them: a slow connection may need longer for all.
    for (const outcome of outcomes) settled.push(await this.channel.within(outcome));
    this.refusedBatches = settled.includes('confirmed') ? 0 : this.refusedBatches + 1;
    if (this.refusedBatches === MAX_REFUSED_BATCHES) throw new Error('the channel refuses every message');
    if (settled.includes('refused')) await this.waitForRoom();
  }

  private isLarge({ mayBeSplit, split, body }: Outgoing): boolean {
    return mayBeSplit && !split && body.length > this.headBytes;
  }

  /** How much of a split message the message itself carries: not more than fills the queue. */
  private get headBytes(): number {
    return Math.min(this.splitBytes, this.destination.queue.maxBytes);
  }

  private contentOf({ body, mayBeSplit, split }: Outgoing): Buffer {
    return mayBeSplit ? body.subarray(0, split?.headBytes ?? this.headBytes) : body;
  }

  private async split(message: Outgoing): Promise<void> {
    const { headBytes, splitBytes, queueType } = this;
    const { body } = message;
    const queue = (message.partsQueue ??= partsQueueName(this.destination.queue));
    let count: number;
    try {
      count = await sendParts(this.channel, { queue, queueType, body, headBytes, partBytes: splitBytes });
    } catch (error) {
      // A quorum queue that has lost its leader for good never replies: the next attempt uses another one.
      if (hasErrorCode(error, 'BROKER_UNAVAILABLE')) message.partsQueue = undefined;
      throw error;
    }
    message.split = { headBytes, headers: toHeaders({ queue, count, bytes: body.length }) };
  }

  /** Rejects when the channel ends before the server has confirmed or refused the message, or when no queue takes it. */
  private send(message: Outgoing): Promise<'confirmed' | 'refused'> {
    const content = this.contentOf(message);
    const { split } = message;
    this.averageBytes += (content.length - this.averageBytes) / (this.averageBytes === 0 ? 1 : AVERAGED_MESSAGES);
    const messageId = String(++this.lastMessageId);
    const headers = { ...message.headers, ...split?.headers };
    // Mandatory: the server also confirms a message that reaches no queue, and returns it before if it is mandatory.
    const options = { persistent: true, mandatory: true, messageId, headers };
    return new Promise((resolve, reject) => {
      const settled = (error: Error | null): void => {
        if (error && this.channel.endReason) {
          // The message may have reached the queue all the same, and then owns its parts: the next attempt makes its own.
          if (split && message.split === split) message.partsQueue = message.split = undefined;
          reject(error);
        } else if (error) resolve('refused');
        else if (this.returned.delete(messageId)) reject(new QueueGoneError(this.destination.to));
        else {
          if (this.messages.delete(message)) message.confirmed();
          resolve('confirmed');
        }
      };
      this.channel.amqp.sendToQueue(this.destination.to, content, options, settled);
    });
  }

  /** Polls the queue's count, because a message that is sent again and again may be large. */
  private async waitForRoom(): Promise<void> {
    const acceptingAt = acceptingAgainAt(await this.countWaiting(), this.queueType);
    const backoff = new Backoff(POLL_MIN_MS, POLL_MAX_MS);
    for (let polls = 0; polls < MAX_POLLS && this.isOpen; polls++) {
      await sleep(backoff.next());
      if ((await this.countWaiting()) <= acceptingAt) return;
    }
  }

  private async countWaiting(): Promise<number> {
    return (await this.channel.within(this.channel.amqp.checkQueue(this.destination.to))).messageCount;
  }
}
