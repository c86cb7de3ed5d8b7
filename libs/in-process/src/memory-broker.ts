import { HistoryError } from '@antelope-history/schemas';
import type { Broker, DeadLetter, Delivery, Queue, Subscription } from '@antelope-history/broker';

interface Entry {
  message: unknown;
  bytes: number;
  redelivered: boolean;
}

interface Consumer {
  prefetch: number;
  unsettled: Set<Entry>;
  onDelivery(delivery: Delivery<unknown>): void;
}

interface Waiter {
  admit(): void;
  refuse(error: HistoryError): void;
}

/** A queue's messages: waiting, in consumers' hands, and the publishers that wait for room. */
class MemoryQueue {
  readonly ready: Entry[] = [];
  readonly dead: DeadLetter<unknown>[] = [];
  readonly consumers = new Set<Consumer>();
  readonly waiting: Waiter[] = [];
  messages = 0;
  bytes = 0;

  constructor(private readonly definition: Queue<never>) {}

  get isFull(): boolean {
    return this.messages >= this.definition.maxMessages || this.bytes >= this.definition.maxBytes;
  }

  add(entry: Entry): void {
    this.messages++;
    this.bytes += entry.bytes;
    this.ready.push(entry);
  }

  settled(entry: Entry): void {
    this.messages--;
    this.bytes -= entry.bytes;
    while (!this.isFull && this.waiting.length > 0) this.waiting.shift()?.admit();
  }
}

/** Rejected messages that are kept at most per queue; the oldest go first. */
const MAX_DEAD_LETTERS = 1_000;

/**
 * The broker of one process: bounded queues with the acknowledge rules of a real broker. A publisher waits while its
 * queue is full, a consumer holds at most `prefetch` messages, and what a consumer had not settled when it went is
 * delivered again. Nothing outlives the process: the stages start again from the store's own record.
 */
export class MemoryBroker implements Broker {
  private readonly queues = new Map<string, MemoryQueue>();
  private closed = false;

  async publish<T>(queue: Queue<T>, message: T): Promise<void> {
    const state = this.queue(queue);
    const entry: Entry = { message, bytes: queue.sizeOf(message), redelivered: false };
    if (this.closed) throw stopped();
    if (state.isFull) await this.roomIn(state);
    state.add(entry);
    this.deliver(state);
  }

  consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription> {
    if (this.closed) return Promise.reject(stopped());
    const state = this.queue(queue);
    const consumer: Consumer = {
      prefetch: queue.prefetch,
      unsettled: new Set(),
      onDelivery: onDelivery as (delivery: Delivery<unknown>) => void,
    };
    state.consumers.add(consumer);
    this.deliver(state);
    return Promise.resolve({ cancel: () => this.cancel(state, consumer) });
  }

  depth<T>(queue: Queue<T>): Promise<{ messages: number; bytes: number }> {
    const { messages, bytes } = this.queue(queue);
    return Promise.resolve({ messages, bytes });
  }

  deadLetters<T>(queue: Queue<T>): Promise<DeadLetter<T>[]> {
    return Promise.resolve([...this.queue(queue).dead] as DeadLetter<T>[]);
  }

  close(): Promise<void> {
    this.closed = true;
    for (const state of this.queues.values()) {
      state.consumers.clear();
      for (const waiter of state.waiting.splice(0)) waiter.refuse(stopped());
    }
    return Promise.resolve();
  }

  private queue<T>(definition: Queue<T>): MemoryQueue {
    let state = this.queues.get(definition.name);
    if (!state) this.queues.set(definition.name, (state = new MemoryQueue(definition)));
    return state;
  }

  private roomIn(state: MemoryQueue): Promise<void> {
    return new Promise((resolve, reject) => state.waiting.push({ admit: resolve, refuse: reject }));
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
        state.dead.push({ message: entry.message, reason });
        if (state.dead.length > MAX_DEAD_LETTERS) state.dead.shift();
        this.deliver(state);
      },
      requeue: () => {
        if (!consumer.unsettled.delete(entry)) return;
        state.ready.unshift({ ...entry, redelivered: true });
        this.deliver(state);
      },
    };
  }

  private cancel(state: MemoryQueue, consumer: Consumer): Promise<void> {
    state.consumers.delete(consumer);
    const returned = [...consumer.unsettled].map((entry) => ({ ...entry, redelivered: true }));
    consumer.unsettled.clear();
    state.ready.unshift(...returned);
    this.deliver(state);
    return Promise.resolve();
  }
}

function stopped(): HistoryError {
  return new HistoryError('STOPPED', 'the broker is closed');
}
