import {
  type Broker,
  type DeadLetter,
  type Delivery,
  MAX_DEAD_LETTERS,
  type Queue,
  type QueueBounds,
  type Subscription,
} from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';

interface Entry {
  message: unknown;
  bytes: number;
  redelivered: boolean;
  /** Its position among all messages published to the queue; a requeued message keeps it. */
  sequence: number;
}

interface Consumer {
  prefetch: number;
  unsettled: Set<Entry>;
  onDelivery(delivery: Delivery<unknown>): void;
}

/** A publisher whose message waits for room in the queue. */
interface Waiter {
  entry: Entry;
  admitted(): void;
  refused(error: HistoryError): void;
}

/**
 * A queue holds at most this many bytes, also where its own bound is higher. Stages of one process wait for each other in the same
 * thread: longer queues take memory and make none of them faster.
 */
const MAX_QUEUE_BYTES = 8 * 1024 * 1024;

/** A queue: its ready and unsettled messages, its dead letters, and the publishers that wait for room. */
class MemoryQueue {
  /** In the order of `sequence`. */
  readonly ready: Entry[] = [];
  readonly consumers = new Set<Consumer>();
  readonly waiting: Waiter[] = [];
  messages = 0;
  bytes = 0;
  private readonly dead: { entry: Entry; reason: HistoryError }[] = [];
  private deadBytes = 0;
  private published = 0;

  constructor(private readonly bounds: QueueBounds) {}

  /** Enqueues a message, or lets its publisher wait behind those that already wait. */
  publish(message: unknown, bytes: number): Promise<void> {
    const entry: Entry = { message, bytes, redelivered: false, sequence: this.published++ };
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
      // Enqueued before its publisher continues: otherwise room for one message would admit every waiting publisher.
      this.add(waiter.entry);
      waiter.admitted();
    }
  }

  /** Returns an unsettled message to its former position. */
  requeue(entry: Entry): void {
    const after = this.ready.findIndex(({ sequence }) => sequence > entry.sequence);
    this.ready.splice(after < 0 ? this.ready.length : after, 0, { ...entry, redelivered: true });
  }

  /** Keeps a rejected message with its reason. Drops the oldest dead letters beyond the limits of count and bytes. */
  deadLetter(entry: Entry, reason: HistoryError): void {
    this.dead.push({ entry, reason });
    this.deadBytes += entry.bytes;
    while (this.dead.length > MAX_DEAD_LETTERS || (this.dead.length > 1 && this.deadBytes > this.bounds.maxBytes)) {
      this.deadBytes -= this.dead.shift()?.entry.bytes ?? 0;
    }
  }

  /** Removes and returns the messages of the dead letters, oldest first. */
  takeDeadLetters(): unknown[] {
    this.deadBytes = 0;
    return this.dead.splice(0).map(({ entry }) => entry.message);
  }

  get deadLetters(): DeadLetter<unknown>[] {
    return this.dead.map(({ entry, reason }) => ({ message: entry.message, reason }));
  }

  /** Unsettled messages count as well: they are in this process's memory. */
  private hasRoomFor({ bytes }: Entry): boolean {
    const { maxMessages } = this.bounds;
    const maxBytes = Math.min(this.bounds.maxBytes, MAX_QUEUE_BYTES);
    return this.messages < maxMessages && (this.messages === 0 || this.bytes + bytes <= maxBytes);
  }

  private add(entry: Entry): void {
    this.messages++;
    this.bytes += entry.bytes;
    this.ready.push(entry);
  }
}

/**
 * The broker port within one process: bounded queues with the acknowledge rules of a broker server. A publisher waits
 * while its queue is full, a consumer holds at most `prefetch` messages, and the unsettled messages of a cancelled
 * consumer are redelivered. Messages do not outlive the process: the stages resume from the progress in the store.
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
    const messages = this.queue(queue).takeDeadLetters() as T[];
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
        // Not from inside publish or acknowledge: a consumer that acknowledges at once would recurse.
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
      bytes: entry.bytes,
      redelivered: entry.redelivered,
      isLost: () => !state.consumers.has(consumer),
      acknowledge: () => {
        if (settle()) this.deliver(state);
      },
      reject: (reason) => {
        if (!settle()) return;
        state.deadLetter(entry, reason);
        this.deliver(state);
      },
      requeue: () => {
        if (!consumer.unsettled.delete(entry)) return;
        state.requeue(entry);
        // In the next turn of the event loop: a consumer that requeues at once must not block the process.
        setImmediate(() => this.deliver(state));
      },
    };
  }

  private cancel(state: MemoryQueue, consumer: Consumer): Promise<void> {
    state.consumers.delete(consumer);
    for (const entry of consumer.unsettled) state.requeue(entry);
    consumer.unsettled.clear();
    this.deliver(state);
    return Promise.resolve();
  }
}

function stopped(): HistoryError {
  return new HistoryError('STOPPED', 'the broker is closed');
}
