import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumeMessage } from 'amqplib';
import type { Delivery, Queue } from '@antelope-history/broker';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { deadLetterHeaders } from './dead-letter-headers';
import { joinParts, readReference, type Headers, type PartsReference } from './message-parts';
import { isQueueGone, QueueGoneError } from './rabbitmq-errors';
import type { ServerChannel } from './server-channel';
import type { ServerConnection } from './server-connection';

/** The callbacks of a consumer. */
export interface ConsumeHandlers<T> {
  deliver(delivery: Delivery<T>): void;
  /** Publishes a dead letter; resolves when it is confirmed. */
  deadLetter(content: Buffer, headers: Headers): Promise<void>;
  /** Receives the error of a message that cannot be delivered. */
  onError(error: HistoryError): void;
}

/** An unsettled message in this process: waiting for the consumer, delivered, or being dead-lettered. */
interface HeldMessage {
  message: ConsumeMessage;
  parts: PartsReference | undefined;
  /** Size of the whole message. */
  bytes: number;
}

/** How long `close` waits for settlements under way. A message that is not settled by then is delivered again. */
const SETTLE_LIMIT_MS = 2_000;

/**
 * Consumes a queue over one channel, until that ends. The server's prefetch counts messages, not bytes: messages beyond
 * `maxBytes` wait here, and the server-side consumer is cancelled until no more than half of `maxBytes` are held.
 */
export class ConsumeSession<T> {
  /** Resolves with the reason when the channel has ended, or can no longer be used. */
  readonly ended: Promise<unknown>;
  /** Received and not yet delivered. */
  private readonly waiting: HeldMessage[] = [];
  private readonly delivered = new Set<HeldMessage>();
  private deliveredBytes = 0;
  private heldBytes = 0;
  private heldCount = 0;
  private readonly settling = new Set<Promise<unknown>>();
  private lastDeadLetter: Promise<void> = Promise.resolve();
  /** The server-side consumer; undefined while it is cancelled. */
  private consumerTag: Promise<string> | undefined;
  private advancing = false;
  private regulating = false;
  private stopped = false;
  private fail: (reason: unknown) => void = () => undefined;

  private constructor(
    private readonly connection: ServerConnection,
    private readonly channel: ServerChannel,
    private readonly queue: Queue<T>,
    private readonly handlers: ConsumeHandlers<T>,
  ) {
    const failed = new Promise((resolve) => (this.fail = resolve));
    this.ended = Promise.race([channel.ended, failed]);
    // The queue was deleted before the consumer began, or its dead-letter queue was: without this, each session would end so.
    void this.ended.then((reason) => {
      if (isQueueGone(reason)) connection.forget(queue);
    });
  }

  static async open<T>(
    connection: ServerConnection,
    queue: Queue<T>,
    handlers: ConsumeHandlers<T>,
  ): Promise<ConsumeSession<T>> {
    await connection.declare(queue);
    const channel = await connection.openChannel();
    const session = new ConsumeSession(connection, channel, queue, handlers);
    try {
      await channel.within(channel.amqp.prefetch(queue.prefetch));
      await session.startConsumer();
    } catch (error) {
      await channel.close();
      throw error;
    }
    return session;
  }

  /** The number of unsettled messages. */
  get held(): number {
    return this.isOpen ? this.heldCount : 0;
  }

  /** Ends the session; the server returns unsettled messages to the queue. */
  async close(): Promise<void> {
    this.stopped = true;
    await Promise.race([
      Promise.all(this.settling),
      this.channel.ended,
      sleep(SETTLE_LIMIT_MS, undefined, { ref: false }),
    ]);
    await this.channel.close();
  }

  private get isOpen(): boolean {
    return !this.stopped && !this.channel.endReason;
  }

  private receive(message: ConsumeMessage | null): void {
    if (!this.isOpen) return;
    if (!message) {
      this.fail(new QueueGoneError(this.queue.name));
      return;
    }
    const parts = readReference(message, this.queue);
    const held = { message, parts, bytes: parts?.bytes ?? message.content.length };
    this.heldCount++;
    this.heldBytes += held.bytes;
    this.waiting.push(held);
    this.continue();
  }

  private continue(): void {
    void this.advance();
    void this.regulate();
  }

  /** Delivers the waiting messages in the order of their arrival. */
  private async advance(): Promise<void> {
    if (this.advancing) return;
    this.advancing = true;
    for (let next = this.waiting[0]; next && this.isOpen && this.mayDeliver(next); next = this.waiting[0]) {
      this.waiting.shift();
      if (next.parts) await this.deliverJoined(next, next.parts);
      else this.deliver(next, next.message.content);
    }
    this.advancing = false;
  }

  private mayDeliver({ bytes }: HeldMessage): boolean {
    const { size } = this.delivered;
    return size === 0 || (size < this.queue.prefetch && this.deliveredBytes + bytes <= this.queue.maxBytes);
  }

  private async deliverJoined(held: HeldMessage, parts: PartsReference): Promise<void> {
    try {
      const whole = await joinParts(this.connection, held.message.content, parts);
      if (this.isOpen) this.deliver(held, whole);
    } catch (error) {
      if (hasErrorCode(error, 'MESSAGE_INCOMPLETE')) this.dropUndeliverable(held, error);
      else this.fail(error);
    }
  }

  private deliver(held: HeldMessage, bytes: Buffer): void {
    let message: T;
    try {
      message = this.queue.codec.decode(bytes);
    } catch (error) {
      this.dropUndeliverable(held, toDecodeError(error, this.queue.name));
      return;
    }
    this.delivered.add(held);
    this.deliveredBytes += held.bytes;
    this.handlers.deliver(this.delivery(held, message));
  }

  /** The block of the message is missing where blocks are committed, and is read again from the node. */
  private dropUndeliverable(held: HeldMessage, reason: HistoryError): void {
    this.handlers.onError(reason);
    this.deadLetter(held, reason);
  }

  private delivery(held: HeldMessage, message: T): Delivery<T> {
    const { amqp } = this.channel;
    const settle = (act: () => void): void => {
      if (!this.delivered.delete(held) || !this.isOpen) return;
      this.deliveredBytes -= held.bytes;
      act();
    };
    return {
      message,
      bytes: held.bytes,
      redelivered: held.message.fields.redelivered,
      isLost: () => !this.isOpen,
      acknowledge: () =>
        settle(() => {
          amqp.ack(held.message);
          if (held.parts) this.track(amqp.deleteQueue(held.parts.queue));
          this.release(held);
        }),
      reject: (reason) => settle(() => this.deadLetter(held, reason)),
      requeue: () =>
        settle(() => {
          amqp.nack(held.message, false, true);
          this.release(held);
        }),
    };
  }

  /** Dead-letters one message after the other, so that the dead letters have the order of the messages. */
  private deadLetter(held: HeldMessage, reason: HistoryError): void {
    this.lastDeadLetter = this.lastDeadLetter
      .then(() => this.moveToDeadLetters(held, reason))
      .then(() => this.release(held))
      .catch((error: unknown) => this.fail(error));
    this.track(this.lastDeadLetter);
  }

  /** The message is acknowledged when the dead letter is confirmed, which takes over the parts of a large message. */
  private async moveToDeadLetters({ message, parts }: HeldMessage, reason: HistoryError): Promise<void> {
    const keepsParts = !parts || (await this.mayKeep(parts, message.content.length));
    await this.handlers.deadLetter(message.content, deadLetterHeaders(message, this.queue.name, reason));
    if (this.channel.endReason) return;
    this.channel.amqp.ack(message);
    if (!keepsParts) this.track(this.channel.amqp.deleteQueue(parts.queue));
  }

  /**
   * Whether a dead letter may keep its parts. The dead-letter queue counts only the bytes of the messages themselves, and the parts
   * of one that it drops stay. So it may when so few dead letters are there that none is dropped: as many as have room with their
   * parts, or two.
   */
  private async mayKeep({ bytes }: PartsReference, headBytes: number): Promise<boolean> {
    const fitting = (each: number): number => Math.floor(this.queue.maxBytes / each);
    const { messageCount } = await this.channel.within(this.channel.amqp.checkQueue(this.queue.deadLetter));
    return messageCount < Math.max(fitting(bytes), Math.min(2, fitting(headBytes)));
  }

  /** Makes `close` wait for a settlement. */
  private track(settling: Promise<unknown>): void {
    const settled = settling
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.settling.delete(settled);
      });
    this.settling.add(settled);
  }

  private release(held: HeldMessage): void {
    this.heldCount--;
    this.heldBytes -= held.bytes;
    // Not synchronously: a consumer that settles many messages in a loop must not be called in between.
    queueMicrotask(() => this.continue());
  }

  /** Starts or cancels the server-side consumer, according to the bytes held. */
  private async regulate(): Promise<void> {
    if (this.regulating) return;
    this.regulating = true;
    try {
      while (this.isOpen && this.wantsMore !== (this.consumerTag !== undefined)) {
        if (this.consumerTag === undefined) await this.startConsumer();
        else await this.cancelConsumer(await this.consumerTag);
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.regulating = false;
    }
  }

  private get wantsMore(): boolean {
    const { maxBytes } = this.queue;
    return this.heldBytes <= (this.consumerTag === undefined ? maxBytes / 2 : maxBytes);
  }

  private async startConsumer(): Promise<void> {
    const consuming = this.channel.amqp.consume(this.queue.name, (message) => this.receive(message));
    this.consumerTag = consuming.then(({ consumerTag }) => consumerTag);
    await this.channel.within(this.consumerTag);
  }

  private async cancelConsumer(consumerTag: string): Promise<void> {
    await this.channel.within(this.channel.amqp.cancel(consumerTag));
    this.consumerTag = undefined;
  }
}

function toDecodeError(error: unknown, queue: string): HistoryError {
  if (error instanceof HistoryError) return error;
  return new HistoryError('DECODE_FAILED', `a message of ${queue} does not decode`, { cause: error });
}
