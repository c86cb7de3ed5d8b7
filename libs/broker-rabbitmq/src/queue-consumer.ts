import type { Queue, Subscription } from '@antelope-history/broker';
import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import type { HistoryError } from '@antelope-history/schemas';
import { ConsumeSession, type ConsumeHandlers } from './consume-session';
import { addsToConnectionLoss, isQueueGone, RECREATE_AFTER_MS, stopped } from './rabbitmq-errors';
import type { BrokerContext } from './server-link';

const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 5_000;
/** After a session that lasted this long, the waits between attempts begin at the shortest again. */
const STABLE_MS = 10_000;

/** Consumes a queue over one session after the other, until it is cancelled. */
export class QueueConsumer<T> implements Subscription {
  private session: ConsumeSession<T> | undefined;
  private readonly stopping = new AbortController();
  private readonly backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);

  constructor(
    private readonly queue: Queue<T>,
    private readonly handlers: ConsumeHandlers<T>,
    private readonly context: BrokerContext,
  ) {}

  /** Resolves when the server has registered the consumer. Rejects when a retry is pointless. */
  async start(): Promise<void> {
    const first = await this.open((error) => error.retryable);
    void this.run(first);
  }

  get name(): string {
    return this.queue.name;
  }

  /** The number of unsettled messages that this consumer holds. */
  get held(): number {
    return this.session?.held ?? 0;
  }

  /** Does not wait for a server that is unavailable: a session that opens later is closed at once. */
  async cancel(): Promise<void> {
    this.stopping.abort();
    await this.session?.close();
  }

  private async run(first: ConsumeSession<T>): Promise<void> {
    const { signal } = this.stopping;
    for (let session: ConsumeSession<T> | undefined = first; session && !signal.aborted;) {
      const since = performance.now();
      const reason = await session.ended;
      await session.close();
      if (performance.now() - since > STABLE_MS) this.backoff.reset();
      await this.waitAfter(reason);
      session = await this.open(() => true).catch(() => undefined);
    }
  }

  /** Opens a session over the present connection or the next. Rejects with `STOPPED` after cancel. */
  private async open(mayRetry: (error: HistoryError) => boolean): Promise<ConsumeSession<T>> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const connection = await this.context.link.connection();
        return await this.keep(await ConsumeSession.open(connection, this.queue, this.handlers));
      } catch (error) {
        const reason = this.context.toError(error);
        if (reason.code === 'STOPPED' || !mayRetry(reason)) throw reason;
        await this.waitAfter(error);
      }
    }
    throw stopped();
  }

  /** Closes a session that was opened after cancel. */
  private async keep(session: ConsumeSession<T>): Promise<ConsumeSession<T>> {
    if (this.stopping.signal.aborted) {
      await session.close();
      throw stopped();
    }
    this.session = session;
    return session;
  }

  private async waitAfter(reason: unknown): Promise<void> {
    const { signal } = this.stopping;
    if (!signal.aborted && addsToConnectionLoss(reason)) this.context.onError(this.context.toError(reason));
    const wait = isQueueGone(reason) ? RECREATE_AFTER_MS : this.backoff.next();
    await abortableSleep(wait, signal);
  }
}
