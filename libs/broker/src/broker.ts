import type { HistoryError } from '@antelope-history/schemas';

/** Converts the messages of a queue to bytes and back, for brokers that carry bytes. */
export interface MessageCodec<T> {
  encode(message: T): Buffer;
  /** Throws `DECODE_FAILED` on bytes that are no message of this queue. The message may point into `bytes`. */
  decode(bytes: Buffer): T;
}

/** A queue's names and limits, independent of the type of its messages. */
export interface QueueBounds {
  name: string;
  /** The name of the queue that keeps rejected messages with their reasons. */
  deadLetter: string;
  /** A publish waits while the queue holds this many messages, or would hold more than `maxBytes` bytes with the new one. */
  maxMessages: number;
  maxBytes: number;
  /** Limit of unsettled deliveries per consumer. */
  prefetch: number;
}

/** A queue of the topology. */
export interface Queue<T> extends QueueBounds {
  /** The size of a message in bytes, at least approximately. */
  sizeOf(message: T): number;
  codec: MessageCodec<T>;
}

/**
 * Limit of the dead letters of a queue; their bytes are limited by `maxBytes` of the queue, beyond which one message is kept. The
 * oldest are dropped first. A dropped one loses no history: the block of a rejected message is not committed, and the chain is
 * read again from there.
 */
export const MAX_DEAD_LETTERS = 1_000;

/** A delivered message. Its consumer calls exactly one of the three methods, once. */
export interface Delivery<T> {
  message: T;
  /** Its size as the broker counts it: that of its encoded form, or `Queue.sizeOf` where it has none. */
  bytes: number;
  /** True when the message was delivered before and not settled. */
  redelivered: boolean;
  /**
   * Whether the delivery can no longer be settled, because its subscription or its connection to the broker has ended: the
   * message is delivered again. A consumer that still holds it drops it, or redelivered messages would pile up.
   */
  isLost(): boolean;
  /** The result of the message is durable: the broker forgets the message. */
  acknowledge(): void;
  /** The message cannot be processed: the broker moves it to the dead letters, with the reason. */
  reject(reason: HistoryError): void;
  /** The message was not processed: the broker returns it to the head of the queue. */
  requeue(): void;
}

export interface Subscription {
  /** Stops the deliveries and returns the unsettled messages to the queue. */
  cancel(): Promise<void>;
}

export interface DeadLetter<T> {
  /** Undefined when the bytes do not decode, or parts of the message are lost. */
  message: T | undefined;
  reason: HistoryError;
}

/**
 * The broker port. Delivery is at least once: a message is delivered again when its consumer, or the consumer's connection, ends
 * before the broker has received the settlement.
 *
 * Order: one broker's messages enter a queue in the order of the calls of `publish`. Messages that a lost connection left
 * unconfirmed enter again, in the same order. Messages of several brokers mix, and while several brokers fill a queue, a message of
 * one may be overtaken by those of the others. A message that is published after another was confirmed always follows it.
 *
 * Unsettled messages are delivered again before messages that were not delivered yet. The unsettled messages of one consumer keep
 * their order; where several consumers end, their messages may mix.
 *
 * A store that takes the order of the chain from the messages (`StreamPosition` in `libs/records`) does not need this order. The
 * embedded store over a broker between processes does: see the decisions in `docs/architecture.md`.
 */
export interface Broker {
  /**
   * Resolves when the broker has stored the message durably; waits while the queue is full or the broker is unavailable. A message
   * that is larger than the queue's limits enters when the queue is empty. Rejects with `STOPPED` after close.
   */
  publish<T>(queue: Queue<T>, message: T): Promise<void>;
  /**
   * Delivers at most `queue.prefetch` unsettled messages at once, and more than one only while they have at most
   * `queue.maxBytes` bytes together. Continues by itself after the broker was unavailable; deliveries from before the outage
   * cannot be settled. A message that does not decode is moved to the dead letters.
   */
  consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription>;
  /**
   * Counts the messages that wait in a queue or are unsettled deliveries of this broker (not of other processes), and the
   * dead letters of the queue.
   */
  depth<T>(queue: Queue<T>): Promise<{ messages: number; deadLetters: number }>;
  /** Lists the dead letters of a queue without removing them, the oldest first; the list is cut off after `maxBytes` bytes. */
  deadLetters<T>(queue: Queue<T>): Promise<DeadLetter<T>[]>;
  /** Publishes the present dead letters of a queue to it again; resolves with their number. */
  redeliverDeadLetters<T>(queue: Queue<T>): Promise<number>;
  close(): Promise<void>;
}
