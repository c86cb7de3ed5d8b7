import { HistoryError } from '@antelope-history/schemas';
import {
  MAX_DEAD_LETTERS,
  type Broker,
  type DeadLetter,
  type Delivery,
  type Queue,
  type QueueBounds,
  type Subscription,
} from '@antelope-history/broker';

interface Entry {
  message: unknown;
  bytes: number;
  redelivered: boolean;
  /** Its place among all messages of the queue, kept when it comes back. */
  place: number;
}

interface Consumer {
  prefetch: number;
  unsettled: Set<Entry>;
  onDelivery(delivery: Delivery<unknown>): void;
}

/** A publisher that waits for room, with its message in hand. */
interface Waiter {
  entry: Entry;
  admitted(): void;
  refused(error: HistoryError): void;
}

/** A queue's messages: waiting, in consumers' hands, and the publishers that wait for room. */
class MemoryQueue {
  /** In the order of their places. */
  readonly ready: Entry[] = [];
  readonly consumers = new Set<Consumer>();
  readonly waiting: Waiter[] = [];
  messages = 0;
  bytes = 0;
  private readonly dead: { entry: Entry; reason: HistoryError }[] = [];
  private deadBytes = 0;
  private places = 0;

  constructor(private readonly bounds: QueueBounds) {}

  /** Takes a message in, or lets its publisher wait behind those that wait already. */
  publish(message: unknown, bytes: number): Promise<void> {
    const entry: Entry = { message, bytes, redelivered: false, place: this.places++ };
    if (this.waiting.length === 0 && this.hasRoomFor(entry)) {
      this.add(entry);
      return Promise.resolve();
    }
    return new Promise((admitted, refused) => {
      this.waiting.push({ entry, admitted, refused });
    });
  }

  settled(entry: Entry): void {
    this.messages--;
    this.bytes -= entry.bytes;
    for (let waiter = this.waiting[0]; waiter && this.hasRoomFor(waiter.entry); waiter = this.waiting[0]) {
      this.waiting.shift();
      // Taken in at once, not when its publisher goes on: else room for one would look like room for all.
      this.add(waiter.entry);
      waiter.admitted();
    }
  }

  /** Puts back what a consumer did not settle, where it came from. */
  takeBack(entry: Entry): void {
    const after = this.ready.findIndex(({ place }) => place > entry.place);
    this.ready.splice(after < 0 ? this.ready.length : after, 0, { ...entry, redelivered: true });
  }

  /** Keeps a rejected message with its reason; the oldest go when there are too many, or more than the queue may hold. */
  bury(entry: Entry, reason: HistoryError): void {
    this.dead.push({ entry, reason });
    this.deadBytes += entry.bytes;
    while (this.dead.length > MAX_DEAD_LETTERS || (this.dead.length > 1 && this.deadBytes > this.bounds.maxBytes)) {
      this.deadBytes -= this.dead.shift()?.entry.bytes ?? 0;
    }
  }

  /** Takes the dead letters out, the oldest first. */
  exhume(): unknown[] {
    this.deadBytes = 0;
    return this.dead.splice(0).map(({ entry }) => entry.message);
  }

  get deadLetters(): DeadLetter<unknown>[] {
    return this.dead.map(({ entry, reason }) => ({ message: entry.message, reason }));
  }

  /** What consumers hold counts as well: it is this process's memory. */
  private hasRoomFor({ bytes }: Entry): boolean {
    const { maxMessages, maxBytes } = this.bounds;
    return this.messages < maxMessages && (this.messages === 0 || this.bytes + bytes <= maxBytes);
  }

  private add(entry: Entry): void {
    this.messages++;
    this.bytes += entry.bytes;
    this.ready.push(entry);
  }
}

/**
 * The broker of one process: bounded queues with the acknowledge rules of a real broker. A publisher waits while its
 * queue is full, a consumer holds at most `prefetch` messages, and what a consumer had not settled when it went is
 * delivered again. Nothing outlives the process: the stages start again from the store's own record.
 */
export class MemoryBroker implements Broker {
  private readonly queues = new Map<string, MemoryQueue>();
  private closed = false;

  async publish<T>(queue: Queue<T>, message: T): Promise<void> {
    if (this.closed) throw stopped();
    const state = this.queue(queue);
    const published = state.publish(message, queue.sizeOf(message));
    this.deliver(state);
    await published;
  }

  consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription> {
    if (this.closed) return Promise.reject(stopped());
    const state = this.queue(queue);
    const consumer: Consumer = {
      prefetch: queue.prefetch,
      unsettled: new Set(),
      onDelivery,
    };
    state.consumers.add(consumer);
    this.deliver(state);
    return Promise.resolve({ cancel: () => this.cancel(state, consumer) });
  }

  depth<T>(queue: Queue<T>): Promise<{ messages: number; bytes: number; deadLetters: number }> {
    const { messages, bytes, deadLetters } = this.queue(queue);
    return Promise.resolve({ messages, bytes, deadLetters: deadLetters.length });
  }

  deadLetters<T>(queue: Queue<T>): Promise<DeadLetter<T>[]> {
    return Promise.resolve(this.queue(queue).deadLetters as DeadLetter<T>[]);
  }

  async redeliverDeadLetters<T>(queue: Queue<T>): Promise<number> {
    const messages = this.queue(queue).exhume() as T[];
    for (const message of messages) await this.publish(queue, message);
    return messages.length;
  }

  close(): Promise<void> {
    this.closed = true;
    for (const state of this.queues.values()) {
      for (const consumer of state.consumers) consumer.unsettled.clear();
      state.consumers.clear();
      for (const waiter of state.waiting.splice(0)) waiter.refused(stopped());
    }
    return Promise.resolve();
  }

  private queue<T>(definition: Queue<T>): MemoryQueue {
    let state = this.queues.get(definition.name);
    if (!state) this.queues.set(definition.name, (state = new MemoryQueue(definition)));
    return state;
  }

  private deliver(state: MemoryQueue): void {
    for (const consumer of state.consumers) {
      while (state.ready.length > 0 && consumer.unsettled.size < consumer.prefetch) {
        const entry = state.ready.shift() as Entry;
        consumer.unsettled.add(entry);
        // Never from inside publish or acknowledge: a consumer that settles at once would otherwise recurse.
        queueMicrotask(() => {
          if (consumer.unsettled.has(entry)) consumer.onDelivery(this.delivery(state, consumer, entry));
        });
      }
    }
  }

  private delivery(state: MemoryQueue, consumer: Consumer, entry: Entry): Delivery<unknown> {
    const settle = (): boolean => {
      if (!consumer.unsettled.delete(entry)) return false;
      state.settled(entry);
      return true;
    };
    return {
      message: entry.message,
      redelivered: entry.redelivered,
      acknowledge: () => {
        if (settle()) this.deliver(state);
      },
      reject: (reason) => {
        if (!settle()) return;
        state.bury(entry, reason);
        this.deliver(state);
      },
      requeue: () => {
        if (!consumer.unsettled.delete(entry)) return;
        state.takeBack(entry);
        // In the next turn: a consumer that gives everything back at once must not keep the process for itself.
        setImmediate(() => this.deliver(state));
      },
    };
  }

  private cancel(state: MemoryQueue, consumer: Consumer): Promise<void> {
    state.consumers.delete(consumer);
    for (const entry of consumer.unsettled) state.takeBack(entry);
    consumer.unsettled.clear();
    this.deliver(state);
    return Promise.resolve();
  }
}

function stopped(): HistoryError {
  return new HistoryError('STOPPED', 'the broker is closed');
}
