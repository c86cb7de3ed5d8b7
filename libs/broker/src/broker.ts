import type { HistoryError } from '@antelope-history/schemas';

/** How messages of a queue become bytes, for brokers that carry bytes. */
export interface MessageCodec<T> {
  encode(message: T): Buffer;
  /** Throws `DECODE_FAILED` on bytes that are no message of this queue. The message may point into `bytes`. */
  decode(bytes: Buffer): T;
}

/** A queue's name and its bounds: what there is to know of it without knowing its messages. */
export interface QueueBounds {
  name: string;
  /** Rejected messages go here with their reason. */
  deadLetter: string;
  /** A publisher waits while as many messages wait in the queue as this, or more bytes with its own would wait than this. */
  maxMessages: number;
  maxBytes: number;
  /** How many deliveries one consumer holds unsettled at most. */
  prefetch: number;
}

/** A queue of the topology: its bounds, and how its messages become bytes. */
export interface Queue<T> extends QueueBounds {
  sizeOf(message: T): number;
  codec: MessageCodec<T>;
}

/**
 * How many dead letters a queue keeps, and of more bytes than the queue itself may hold only the last: the oldest go.
 * Nothing is lost with them: a block whose message was rejected is not committed, and the chain is read again from there.
 */
export const MOST_DEAD_LETTERS = 1_000;

/** One message in a consumer's hands: exactly one of the three must be called, once. */
export interface Delivery<T> {
  message: T;
  /** Whether it was delivered before and not acknowledged. */
  redelivered: boolean;
  /** What came of it is durable: forget the message. */
  acknowledge(): void;
  /** It cannot be processed: to the dead-letter queue, with the reason. */
  reject(reason: HistoryError): void;
  /** It was not processed: back to the queue's head. */
  requeue(): void;
}

export interface Subscription {
  /** Stops deliveries; those not settled go back to the queue. */
  cancel(): Promise<void>;
}

export interface DeadLetter<T> {
  /** Absent when the bytes are no message of the queue, or parts of them are gone. */
  message: T | undefined;
  reason: HistoryError;
}

/**
 * The broker port. A message that was published is delivered at least once: what is not settled when its consumer, or
 * the consumer's connection, goes is delivered again, and so is what was settled just before.
 */
export interface Broker {
  /**
   * Resolves when the broker has made the message safe; waits while the queue is full, or the broker is away. One
   * broker's messages enter a queue in the order of the calls, as long as neither happens in between. A message that is
   * larger than the queue's bounds enters when nothing waits there. Rejects with `STOPPED` after close.
   */
  publish<T>(queue: Queue<T>, message: T): Promise<void>;
  /**
   * Delivers in order, at most `queue.prefetch` unsettled at once, and several only while they have no more bytes
   * together than `queue.maxBytes`. Goes on by itself when the broker was away; deliveries from before can no longer
   * be settled then. A message that does not decode is kept with the dead letters, and the next delivered.
   */
  consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription>;
  /**
   * How many messages wait in a queue or are in the hands of this broker's own consumers, not of other processes'; and how
   * many dead letters it has.
   */
  depth<T>(queue: Queue<T>): Promise<{ messages: number; deadLetters: number }>;
  /** Lists what was rejected, the oldest first, and leaves it there; of many or large ones the first. */
  deadLetters<T>(queue: Queue<T>): Promise<DeadLetter<T>[]>;
  /** Publishes the dead letters that there are to their queue again; gives how many. */
  resendDeadLetters<T>(queue: Queue<T>): Promise<number>;
  close(): Promise<void>;
}
