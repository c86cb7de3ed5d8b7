import type { Queue, Subscription } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connections';
import type { HistoryError } from '@antelope-history/schemas';
import type { BrokerContext } from './broker-context';
import { ConsumeSession, type ConsumeHandlers } from './consume-session';
import { pause } from './pause';
import { isWorthTelling, stopped } from './rabbitmq-errors';

const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 5_000;
/** A session that lasted so long was a good one: the next is opened soon. */
const LASTED_MS = 10_000;

/** Consumes a queue until it is cancelled, over one connection after the other. */
export class QueueConsumer<T> implements Subscription {
  private session: ConsumeSession<T> | undefined;
  private readonly stopping = new AbortController();
  private readonly backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);

  constructor(
    private readonly queue: Queue<T>,
    private readonly handlers: ConsumeHandlers<T>,
    private readonly context: BrokerContext,
  ) {}

  /** Resolves when the server knows of the consumer. Rejects when trying again is no use. */
  async start(): Promise<void> {
    const first = await this.open((error) => error.retryable);
    void this.run(first);
  }

  get name(): string {
    return this.queue.name;
  }

  /** How many messages it holds that are not settled. */
  get held(): number {
    return this.session?.held ?? 0;
  }

  /** While the server is away there is nothing to wait for: a session that is opened behind it is closed again. */
  async cancel(): Promise<void> {
    this.stopping.abort();
    await this.session?.close();
  }

  private async run(first: ConsumeSession<T>): Promise<void> {
    const { signal } = this.stopping;
    for (let session: ConsumeSession<T> | undefined = first; session && !signal.aborted;) {
      const since = Date.now();
      const reason = await session.ended;
      await session.close();
      if (Date.now() - since > LASTED_MS) this.backoff.reset();
      await this.waitAfter(reason);
      session = await this.open(() => true).catch(() => undefined);
    }
  }

  /** Opens a session over the connection that stands, or the next. Rejects with `STOPPED` when it is too late. */
  private async open(goesOnAfter: (error: HistoryError) => boolean): Promise<ConsumeSession<T>> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const connection = await this.context.link.connection();
        return await this.take(await ConsumeSession.open(connection, this.queue, this.handlers));
      } catch (error) {
        const reason = this.context.toError(error);
        if (reason.code === 'STOPPED' || !goesOnAfter(reason)) throw reason;
        await this.waitAfter(error);
      }
    }
    throw stopped();
  }

  /** A session that is there after the end is closed again. */
  private async take(session: ConsumeSession<T>): Promise<ConsumeSession<T>> {
    if (this.stopping.signal.aborted) {
      await session.close();
      throw stopped();
    }
    this.session = session;
    return session;
  }

  private async waitAfter(reason: unknown): Promise<void> {
    const { signal } = this.stopping;
    if (!signal.aborted && isWorthTelling(reason)) this.context.onTrouble(this.context.toError(reason));
    await pause(this.backoff.next(), signal);
  }
}
