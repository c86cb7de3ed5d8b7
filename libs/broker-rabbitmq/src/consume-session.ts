import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumeMessage } from 'amqplib';
import type { Delivery, Queue } from '@antelope-history/broker';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { letterHeaders } from './dead-letter';
import type { LiveChannel } from './live-channel';
import { joinParts, readReference, type Headers, type PartsReference } from './message-parts';
import { QueueGoneError } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';

/** What a session does with what it gets. */
export interface ConsumeHandlers<T> {
  deliver(delivery: Delivery<T>): void;
  /** Makes a dead letter safe. */
  bury(content: Buffer, headers: Headers): Promise<void>;
  onTrouble(error: HistoryError): void;
}

/** A message in this process's hands: in line before the consumer, delivered, or on its way to the dead letters. */
interface Held {
  message: ConsumeMessage;
  parts: PartsReference | undefined;
  /** Of the whole message. */
  bytes: number;
}

/** What is being settled when a consumer is cancelled gets so long; else it comes again. */
const SETTLE_LIMIT_MS = 2_000;

/**
 * Consumes a queue over one channel, no longer than that lasts. The server counts messages, not bytes: what it sends
 * beyond `maxBytes` stands in line here, and it is asked for no more until half of that is settled.
 */
export class ConsumeSession<T> {
  /** Resolves with what ended the channel, or made it useless. */
  readonly ended: Promise<unknown>;
  private readonly line: Held[] = [];
  private readonly delivered = new Set<Held>();
  private deliveredBytes = 0;
  private heldBytes = 0;
  private heldCount = 0;
  private readonly settling = new Set<Promise<unknown>>();
  /** The server's name for this consumer, from when it was asked for messages. */
  private consumerTag: Promise<string> | undefined;
  private advancing = false;
  private regulating = false;
  private stopped = false;
  private fail: (reason: unknown) => void = () => undefined;

  private constructor(
    private readonly connection: ServerConnection,
    private readonly live: LiveChannel,
    private readonly queue: Queue<T>,
    private readonly handlers: ConsumeHandlers<T>,
  ) {
    const failed = new Promise((resolve) => (this.fail = resolve));
    this.ended = Promise.race([live.ended, failed]);
  }

  static async open<T>(
    connection: ServerConnection,
    queue: Queue<T>,
    handlers: ConsumeHandlers<T>,
  ): Promise<ConsumeSession<T>> {
    await connection.declare(queue);
    const live = await connection.openChannel();
    const session = new ConsumeSession(connection, live, queue, handlers);
    try {
      await live.channel.prefetch(queue.prefetch);
      await session.ask();
    } catch (error) {
      await live.close();
      throw error;
    }
    return session;
  }

  /** How many messages the server counts as unsettled. */
  get held(): number {
    return this.isOpen ? this.heldCount : 0;
  }

  /** What is not settled goes back to the queue. */
  async close(): Promise<void> {
    this.stopped = true;
    await Promise.race([
      Promise.all(this.settling),
      this.live.ended,
      sleep(SETTLE_LIMIT_MS, undefined, { ref: false }),
    ]);
    await this.live.close();
  }

  private get isOpen(): boolean {
    return !this.stopped && !this.live.endedBecause;
  }

  private receive(message: ConsumeMessage | null): void {
    if (!this.isOpen) return;
    if (!message) {
      this.connection.forget(this.queue);
      this.fail(new QueueGoneError(this.queue.name));
      return;
    }
    const parts = readReference(message, this.queue);
    const held = { message, parts, bytes: parts?.bytes ?? message.content.length };
    this.heldCount++;
    this.heldBytes += held.bytes;
    this.line.push(held);
    this.goOn();
  }

  private goOn(): void {
    void this.advance();
    void this.regulate();
  }

  /** Delivers what stands in line, in its order. */
  private async advance(): Promise<void> {
    if (this.advancing) return;
    this.advancing = true;
    for (let next = this.line[0]; next && this.isOpen && this.mayDeliver(next); next = this.line[0]) {
      this.line.shift();
      if (next.parts) await this.deliverJoined(next, next.parts);
      else this.deliver(next, next.message.content);
    }
    this.advancing = false;
  }

  private mayDeliver({ bytes }: Held): boolean {
    const { size } = this.delivered;
    return size === 0 || (size < this.queue.prefetch && this.deliveredBytes + bytes <= this.queue.maxBytes);
  }

  private async deliverJoined(held: Held, parts: PartsReference): Promise<void> {
    try {
      const whole = await joinParts(this.connection, held.message.content, parts);
      if (this.isOpen) this.deliver(held, whole);
    } catch (error) {
      if (hasErrorCode(error, 'MESSAGE_INCOMPLETE')) this.giveUp(held, error);
      else this.fail(error);
    }
  }

  private deliver(held: Held, bytes: Buffer): void {
    let message: T;
    try {
      message = this.queue.codec.decode(bytes);
    } catch (error) {
      this.giveUp(held, toDecodeError(error, this.queue.name));
      return;
    }
    this.delivered.add(held);
    this.deliveredBytes += held.bytes;
    this.handlers.deliver(this.delivery(held, message));
  }

  /** The stage can do nothing with it. Its block is missed where blocks are committed, and read again. */
  private giveUp(held: Held, reason: HistoryError): void {
    this.handlers.onTrouble(reason);
    this.bury(held, reason);
  }

  private delivery(held: Held, message: T): Delivery<T> {
    const { channel } = this.live;
    const settle = (act: () => void): void => {
      if (!this.delivered.delete(held) || !this.isOpen) return;
      this.deliveredBytes -= held.bytes;
      act();
    };
    return {
      message,
      redelivered: held.message.fields.redelivered,
      acknowledge: () =>
        settle(() => {
          channel.ack(held.message);
          if (held.parts) this.settles(channel.deleteQueue(held.parts.queue));
          this.letGo(held);
        }),
      reject: (reason) => settle(() => this.bury(held, reason)),
      requeue: () =>
        settle(() => {
          channel.nack(held.message, false, true);
          this.letGo(held);
        }),
    };
  }

  /** First the dead letter is safe, then the message is acknowledged. The parts of a large one are the letter's then. */
  private bury(held: Held, reason: HistoryError): void {
    const { content } = held.message;
    const buried = this.handlers.bury(content, letterHeaders(held.message, this.queue.name, reason));
    const settled = buried.then(
      () => {
        if (!this.live.endedBecause) this.live.channel.ack(held.message);
        this.letGo(held);
      },
      (error: unknown) => this.fail(error),
    );
    this.settles(settled);
  }

  /** A consumer that goes waits for it. */
  private settles(settling: Promise<unknown>): void {
    const settled = settling
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.settling.delete(settled);
      });
    this.settling.add(settled);
  }

  private letGo(held: Held): void {
    this.heldCount--;
    this.heldBytes -= held.bytes;
    // Not from inside of what settled it: a consumer settles many in a row.
    queueMicrotask(() => this.goOn());
  }

  /** Asks the server for messages, or for no more of them. */
  private async regulate(): Promise<void> {
    if (this.regulating) return;
    this.regulating = true;
    try {
      while (this.isOpen && this.wantsMore !== (this.consumerTag !== undefined)) {
        if (this.consumerTag === undefined) await this.ask();
        else await this.askNoMore(await this.consumerTag);
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

  private async ask(): Promise<void> {
    const { channel } = this.live;
    const consuming = channel.consume(this.queue.name, (message) => this.receive(message));
    this.consumerTag = consuming.then(({ consumerTag }) => consumerTag);
    await this.consumerTag;
  }

  private async askNoMore(consumerTag: string): Promise<void> {
    await this.live.channel.cancel(consumerTag);
    this.consumerTag = undefined;
  }
}

function toDecodeError(error: unknown, queue: string): HistoryError {
  if (error instanceof HistoryError) return error;
  return new HistoryError('DECODE_FAILED', `a message of ${queue} does not decode`, { cause: error });
}
