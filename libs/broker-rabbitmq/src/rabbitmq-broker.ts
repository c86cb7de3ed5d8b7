import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, DeadLetter, Delivery, Queue, QueueBounds, Subscription } from '@antelope-history/broker';
import type { BrokerContext } from './broker-context';
import { listDeadLetters, resendDeadLetters } from './dead-letters';
import type { Headers } from './message-parts';
import { QueueConsumer } from './queue-consumer';
import { QueuePublisher, SplitBytes } from './queue-publisher';
import { stopped } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';
import type { ServerLink } from './server-link';

/** Apart, because the server may stop reading from who publishes, and still has to hear of what is settled. */
export interface BrokerLinks {
  publishing: ServerLink;
  consuming: ServerLink;
}

/** Longer than a consumer takes to be cancelled. */
const CANCEL_LIMIT_MS = 4_500;

/** The broker port over RabbitMQ. */
export class RabbitmqBroker implements Broker {
  private readonly publishers = new Map<string, QueuePublisher>();
  private readonly letterPublishers = new Map<string, QueuePublisher>();
  private readonly consumers = new Set<Pick<QueueConsumer<never>, 'name' | 'held' | 'cancel'>>();
  private readonly splitBytes: SplitBytes;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly links: BrokerLinks,
    splitBytes: number,
    private readonly trouble: Omit<BrokerContext, 'link'>,
  ) {
    this.splitBytes = new SplitBytes(splitBytes);
  }

  async publish<T>(queue: Queue<T>, message: T): Promise<void> {
    await this.publisherTo(queue).publish(queue.codec.encode(message));
  }

  async consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription> {
    if (this.closing) throw stopped();
    const letters = this.letterPublisherOf(queue);
    const handlers = {
      deliver: onDelivery,
      bury: (content: Buffer, headers: Headers) => letters.publishAsItIs(content, headers),
      onTrouble: this.trouble.onTrouble,
    };
    const consumer = new QueueConsumer(queue, handlers, { ...this.trouble, link: this.links.consuming });
    const cancel = (): Promise<void> => {
      this.consumers.delete(consumer);
      return consumer.cancel();
    };
    this.consumers.add(consumer);
    try {
      await consumer.start();
    } catch (error) {
      await cancel();
      throw error;
    }
    return { cancel };
  }

  /** The server counts what waits; what the consumers of other processes hold it does not say. */
  async depth<T>(queue: Queue<T>): Promise<{ messages: number; deadLetters: number }> {
    const { waiting, deadLetters } = await this.consuming((connection) => connection.countWaiting(queue));
    let held = 0;
    for (const consumer of this.consumers) if (consumer.name === queue.name) held += consumer.held;
    return { messages: waiting + held, deadLetters };
  }

  deadLetters<T>(queue: Queue<T>): Promise<DeadLetter<T>[]> {
    return this.consuming((connection) => listDeadLetters(connection, queue));
  }

  resendDeadLetters<T>(queue: Queue<T>): Promise<number> {
    const publish = (content: Buffer, headers: Headers): Promise<void> =>
      this.publisherTo(queue).publishAsItIs(content, headers);
    return this.consuming((connection) => resendDeadLetters(connection, queue, publish));
  }

  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    for (const publisher of this.publishers.values()) publisher.stop();
    const cancelled = Promise.all([...this.consumers].map((consumer) => consumer.cancel()));
    await Promise.race([cancelled, sleep(CANCEL_LIMIT_MS, undefined, { ref: false })]);
    // Not before: what the consumers rejected just now was on its way.
    for (const publisher of this.letterPublishers.values()) publisher.stop();
    await Promise.all([this.links.publishing.close(), this.links.consuming.close()]);
  }

  private publisherTo(queue: QueueBounds): QueuePublisher {
    return this.publisher(this.publishers, queue, queue.name);
  }

  private letterPublisherOf(queue: QueueBounds): QueuePublisher {
    return this.publisher(this.letterPublishers, queue, queue.deadLetter);
  }

  private publisher(publishers: Map<string, QueuePublisher>, queue: QueueBounds, to: string): QueuePublisher {
    if (this.closing) throw stopped();
    let publisher = publishers.get(to);
    if (!publisher) {
      publisher = new QueuePublisher({ queue, to }, this.splitBytes, { ...this.trouble, link: this.links.publishing });
      publishers.set(to, publisher);
    }
    return publisher;
  }

  private async consuming<T>(use: (connection: ServerConnection) => Promise<T>): Promise<T> {
    if (this.closing) throw stopped();
    const connection = await this.links.consuming.connection();
    try {
      return await use(connection);
    } catch (error) {
      throw this.trouble.toError(error);
    }
  }
}
