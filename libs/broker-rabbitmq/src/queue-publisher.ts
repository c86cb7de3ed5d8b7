import { Backoff } from '@antelope-history/connections';
import { HistoryError } from '@antelope-history/schemas';
import { Bell } from './bell';
import type { BrokerContext } from './broker-context';
import type { Headers } from './message-parts';
import { Outbox } from './outbox';
import { pause } from './pause';
import { PublishSession, type Destination } from './publish-session';
import { isWorthTelling, isPreconditionFailed, stopped } from './rabbitmq-errors';

const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 5_000;

/** Publishes to one queue, in the order of the calls, over one connection after the other. */
export class QueuePublisher {
  private readonly outbox = new Outbox();
  private readonly bell = new Bell();
  private readonly stopping = new AbortController();
  private readonly backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);
  private running = false;

  constructor(
    private readonly destination: Destination,
    private readonly splitBytes: SplitBytes,
    private readonly context: BrokerContext,
  ) {}

  /** Resolves when the server has confirmed a message. */
  publish(body: Buffer): Promise<void> {
    return this.add(body, {}, false);
  }

  /** Publishes one that came from the server: it fits as it is. */
  publishAsItIs(body: Buffer, headers: Headers): Promise<void> {
    return this.add(body, headers, true);
  }

  /** Sends away all that wait. */
  stop(): void {
    this.stopping.abort();
    this.outbox.fail(stopped());
    this.bell.ring();
  }

  private add(body: Buffer, headers: Headers, isWhole: boolean): Promise<void> {
    if (this.stopping.signal.aborted) return Promise.reject(stopped());
    return new Promise((resolve, failed) => {
      const confirmed = (): void => {
        this.backoff.reset();
        resolve();
      };
      this.outbox.add({ body, headers, isWhole, partsQueue: undefined, split: undefined, confirmed, failed });
      this.bell.ring();
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    const { outbox, bell, stopping } = this;
    while (!stopping.signal.aborted) {
      if (!outbox.next) await bell.wait();
      else await this.publishOverOneChannel();
    }
  }

  private async publishOverOneChannel(): Promise<void> {
    const { outbox, bell } = this;
    const { signal } = this.stopping;
    try {
      const connection = await this.context.link.connection();
      await PublishSession.run(connection, this.destination, {
        outbox,
        bell,
        signal,
        splitBytes: this.splitBytes.value,
      });
    } catch (error) {
      if (signal.aborted) return;
      this.judge(error);
      await pause(this.backoff.next(), signal);
    }
  }

  /** Most things pass; a publisher is told of what does not. */
  private judge(error: unknown): void {
    // Nothing else that is done on this channel is answered so.
    if (isPreconditionFailed(error) && this.splitBytes.halve()) {
      this.context.onTrouble(
        new HistoryError(
          'BROKER_UNAVAILABLE',
          `RabbitMQ takes no messages of broker.rabbitmq.split_bytes; going on with ${this.splitBytes.value}`,
        ),
      );
      return;
    }
    const reason = this.context.toError(error);
    if (!reason.retryable) this.outbox.fail(reason);
    // The end of a connection is told by the link.
    else if (isWorthTelling(error)) this.context.onTrouble(reason);
  }
}

const LEAST_SPLIT_BYTES = 64 * 1024;

/** Above which size messages travel in parts: as configured, or less where the server takes less. */
export class SplitBytes {
  constructor(private current: number) {}

  get value(): number {
    return this.current;
  }

  /** Whether it could be less. */
  halve(): boolean {
    if (this.current <= LEAST_SPLIT_BYTES) return false;
    this.current = Math.max(LEAST_SPLIT_BYTES, Math.floor(this.current / 2));
    return true;
  }
}
