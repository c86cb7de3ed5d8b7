import type { HistoryError } from '@antelope-history/schemas';

/** A queue of the topology: its name, its bounds, and how its messages become bytes. */
export interface Queue<T> {
  name: string;
  /** Rejected messages go here with their reason. */
  deadLetter: string;
  /** A publisher waits while the queue holds more than this. */
  maxMessages: number;
  maxBytes: number;
  /** How many deliveries one consumer holds unacknowledged at most. */
  prefetch: number;
  sizeOf(message: T): number;
}

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
  message: T;
  reason: HistoryError;
}

/** The broker port. */
export interface Broker {
  /** Resolves when the broker has made the message safe; waits while the queue is full. Rejects with `STOPPED` after close. */
  publish<T>(queue: Queue<T>, message: T): Promise<void>;
  /** Delivers in order, at most `queue.prefetch` unsettled at once. */
  consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription>;
  /** Ready and unsettled messages of a queue. */
  depth<T>(queue: Queue<T>): Promise<{ messages: number; bytes: number }>;
  deadLetters<T>(queue: Queue<T>): Promise<DeadLetter<T>[]>;
  close(): Promise<void>;
}
