import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import type { Headers, SplitSize } from './message-parts';
import { PublishSession, type Destination, type Outgoing } from './publish-session';
import { addsToConnectionLoss, isPreconditionFailed, isQueueGone, RECREATE_AFTER_MS, stopped } from './rabbitmq-errors';
import type { BrokerContext } from './server-link';

const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 5_000;

/** Publishes to one queue, in the order of the calls, over one session after the other until each message is confirmed. */
export class QueuePublisher {
  /** The messages that are not confirmed, in the order of the calls. */
  private readonly messages = new Set<Outgoing>();
  private readonly stopping = new AbortController();
  private readonly backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);
  private session: PublishSession | undefined;
  private isRunning = false;

  constructor(
    private readonly destination: Destination,
    private readonly splitSize: SplitSize,
    private readonly context: BrokerContext,
  ) {}

  /** Resolves when the server has confirmed the message. Rejects with `STOPPED` after `stop`, or with `ACCESS_REFUSED`. */
  publish(body: Buffer): Promise<void> {
    return this.add(body, {}, true);
  }

  /** As `publish`, for the content and headers of a message that came from the server. */
  republish(content: Buffer, headers: Headers): Promise<void> {
    return this.add(content, headers, false);
  }

  /** Rejects everything unconfirmed. */
  stop(): void {
    this.stopping.abort();
    this.failAll(stopped());
  }

  private add(body: Buffer, headers: Headers, mayBeSplit: boolean): Promise<void> {
    if (this.stopping.signal.aborted) return Promise.reject(stopped());
    return new Promise((resolve, failed) => {
      const confirmed = (): void => {
        this.backoff.reset();
        resolve();
      };
      this.messages.add({ body, headers, mayBeSplit, partsQueue: undefined, split: undefined, confirmed, failed });
      this.session?.publish();
      if (!this.isRunning) void this.run();
    });
  }

  /** Returns after `stop`, or when a session has ended and no message is left; the next message starts it again. */
  private async run(): Promise<void> {
    this.isRunning = true;
    while (!this.stopping.signal.aborted && this.messages.size > 0) {
      await this.waitAfter(await this.publishOverOneChannel().catch((error: unknown) => error));
    }
    this.isRunning = false;
  }

  private async waitAfter(reason: unknown): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return;
    this.handle(reason);
    const wait = isQueueGone(reason) ? RECREATE_AFTER_MS : this.backoff.next();
    await abortableSleep(wait, signal);
  }

  /** Publishes over one session; resolves with the reason why it ended. */
  private async publishOverOneChannel(): Promise<unknown> {
    const connection = await this.context.link.connection();
    const session = await PublishSession.open(connection, this.destination, this.messages, this.splitSize.bytes);
    this.session = session;
    session.publish();
    const reason = await session.ended;
    this.session = undefined;
    if (isQueueGone(reason)) connection.forget(this.destination.queue);
    await session.close();
    return reason;
  }

  /** Temporary errors are retried; the others reject what is unconfirmed. */
  private handle(error: unknown): void {
    // The only cause on this channel is a message above the server's limit.
    if (isPreconditionFailed(error) && this.splitSize.halve()) {
      this.context.onError(
        new HistoryError(
          'BROKER_UNAVAILABLE',
          `RabbitMQ accepts no messages of broker.rabbitmq.split_bytes; continuing with ${this.splitSize.bytes} bytes`,
        ),
      );
      return;
    }
    const reason = this.context.toError(error);
    if (!reason.retryable) this.failAll(reason);
    else if (addsToConnectionLoss(error)) this.context.onError(reason);
  }

  private failAll(error: HistoryError): void {
    const messages = [...this.messages];
    this.messages.clear();
    for (const message of messages) message.failed(error);
  }
}
