import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, DeadLetter, Delivery, Queue, QueueBounds, Subscription } from '@antelope-history/broker';
import { listDeadLetters, redeliverDeadLetters } from './dead-letters';
import { SplitSize, type Headers } from './message-parts';
import { QueueConsumer } from './queue-consumer';
import { QueuePublisher } from './queue-publisher';
import { stopped } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';
import type { BrokerContext, ServerLink } from './server-link';

/** Two connections: the server may stop reading from one that publishes, and must still receive acknowledgements. */
export interface BrokerLinks {
  publishing: ServerLink;
  consuming: ServerLink;
}

/** Longer than the cancellation of a consumer takes. */
const CANCEL_LIMIT_MS = 4_500;

/** The broker port over RabbitMQ. */
export class RabbitmqBroker implements Broker {
  private readonly publishers = new Map<string, QueuePublisher>();
  private readonly deadLetterPublishers = new Map<string, QueuePublisher>();
  private readonly consumers = new Set<Pick<QueueConsumer<never>, 'name' | 'held' | 'cancel'>>();
  private readonly splitSize: SplitSize;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly links: BrokerLinks,
    splitBytes: number,
    private readonly errors: Omit<BrokerContext, 'link'>,
  ) {
    this.splitSize = new SplitSize(splitBytes);
  }

  async publish<T>(queue: Queue<T>, message: T): Promise<void> {
    await this.publisherTo(queue).publish(queue.codec.encode(message));
  }

  async consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription> {
    if (this.closing) throw stopped();
    const deadLetters = this.deadLetterPublisherOf(queue);
    const handlers = {
      deliver: onDelivery,
      deadLetter: (content: Buffer, headers: Headers) => deadLetters.republish(content, headers),
      onError: this.errors.onError,
    };
    const consumer = new QueueConsumer(queue, handlers, { ...this.errors, link: this.links.consuming });
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

  /** The server reports the ready messages only; the unsettled ones are counted by the consumers. */
  async depth<T>(queue: Queue<T>): Promise<{ messages: number; deadLetters: number }> {
    const { waiting, deadLetters } = await this.consuming((connection) => connection.countWaiting(queue));
    let held = 0;
    for (const consumer of this.consumers) if (consumer.name === queue.name) held += consumer.held;
    return { messages: waiting + held, deadLetters };
  }

  deadLetters<T>(queue: Queue<T>): Promise<DeadLetter<T>[]> {
    return this.consuming((connection) => listDeadLetters(connection, queue));
  }

  redeliverDeadLetters<T>(queue: Queue<T>): Promise<number> {
    const publish = (content: Buffer, headers: Headers): Promise<void> =>
      this.publisherTo(queue).republish(content, headers);
    return this.consuming((connection) => redeliverDeadLetters(connection, queue, publish));
  }

  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    for (const publisher of this.publishers.values()) publisher.stop();
    const cancelled = Promise.all([...this.consumers].map((consumer) => consumer.cancel()));
    await Promise.race([cancelled, sleep(CANCEL_LIMIT_MS, undefined, { ref: false })]);
    // After the consumers, which may still be dead-lettering messages.
    for (const publisher of this.deadLetterPublishers.values()) publisher.stop();
    await Promise.all([this.links.publishing.close(), this.links.consuming.close()]);
  }

  private publisherTo(queue: QueueBounds): QueuePublisher {
    return this.publisher(this.publishers, queue, queue.name);
  }

  private deadLetterPublisherOf(queue: QueueBounds): QueuePublisher {
    return this.publisher(this.deadLetterPublishers, queue, queue.deadLetter);
  }

  private publisher(publishers: Map<string, QueuePublisher>, queue: QueueBounds, to: string): QueuePublisher {
    if (this.closing) throw stopped();
    let publisher = publishers.get(to);
    if (!publisher) {
      publisher = new QueuePublisher({ queue, to }, this.splitSize, { ...this.errors, link: this.links.publishing });
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
      throw this.errors.toError(error);
    }
  }
}
