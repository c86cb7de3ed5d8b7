import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import { GaveUpError, stopped } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';

const RECONNECT_MIN_MS = 200;
const RECONNECT_MAX_MS = 15_000;
/** After a connection that lasted this long, the waits between attempts begin at the shortest again. */
const STABLE_MS = 30_000;

/** What publishers and consumers need of their broker. */
export interface BrokerContext {
  link: ServerLink;
  /** Converts the reason why a channel ended, see `toChannelError`. */
  toError(error: unknown): HistoryError;
  /** Receives errors that are retried. */
  onError(error: HistoryError): void;
}

/** A connection that is replaced by a new one when it is lost. */
export class ServerLink {
  private connecting: Promise<ServerConnection> | undefined;
  private readonly closing = new AbortController();
  private readonly backoff = new Backoff(RECONNECT_MIN_MS, RECONNECT_MAX_MS);
  private wasLost = false;

  constructor(
    private readonly connect: (signal: AbortSignal) => Promise<ServerConnection>,
    private readonly onError: (error: HistoryError) => void,
    private readonly giveUpMs = Infinity,
  ) {}

  /** Makes the first connection. Waits for a server that is unavailable; rejects when a retry is pointless, or after `giveUpMs`. */
  open(): Promise<ServerConnection> {
    return this.start((error) => error.retryable);
  }

  /**
   * The present connection, or the next one. Connecting is retried after any error, because the same settings worked when the
   * broker was opened. Rejects with `STOPPED` after close, or with the last error, which is not retryable then, after
   * `giveUpMs`.
   */
  connection(): Promise<ServerConnection> {
    return this.connecting ?? this.start(() => true);
  }

  async close(): Promise<void> {
    this.closing.abort();
    const connection = await this.connecting?.catch(() => undefined);
    await connection?.close();
  }

  private start(mayRetry: (error: HistoryError) => boolean): Promise<ServerConnection> {
    const connecting = this.connectUntilDone(mayRetry);
    this.connecting = connecting;
    const forget = (): void => {
      if (this.connecting === connecting) this.connecting = undefined;
    };
    connecting.then((connection) => connection.ended.then(forget), forget);
    return connecting;
  }

  private async connectUntilDone(mayRetry: (error: HistoryError) => boolean): Promise<ServerConnection> {
    const { signal } = this.closing;
    const end = performance.now() + this.giveUpMs;
    if (this.wasLost) await this.wait(this.backoff.next());
    while (!signal.aborted) {
      try {
        return this.watch(await this.connect(signal));
      } catch (error) {
        if (!(error instanceof HistoryError) || !mayRetry(error)) throw error;
        const waitMs = this.backoff.next();
        if (performance.now() + waitMs > end) throw new GaveUpError(error);
        this.report(new HistoryError(error.code, `${error.message}; trying again in ${(waitMs / 1000).toFixed(1)} s`));
        await this.wait(waitMs);
      }
    }
    throw stopped();
  }

  private watch(connection: ServerConnection): ServerConnection {
    const since = performance.now();
    connection.onBlocked(() => {
      this.report(
        new HistoryError('BROKER_UNAVAILABLE', 'RabbitMQ accepts no messages: it is short of memory or disk space'),
      );
    });
    void connection.ended.then(({ message }) => {
      this.wasLost = true;
      if (performance.now() - since > STABLE_MS) this.backoff.reset();
      this.report(
        new HistoryError('BROKER_UNAVAILABLE', `the connection to RabbitMQ was lost (${message}); reconnecting`),
      );
    });
    return connection;
  }

  /** Waits for `ms` milliseconds, or until `close`. */
  private async wait(ms: number): Promise<void> {
    await abortableSleep(ms, this.closing.signal);
  }

  private report(error: HistoryError): void {
    if (!this.closing.signal.aborted) this.onError(error);
  }
}
