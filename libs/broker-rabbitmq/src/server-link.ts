import { Backoff } from '@antelope-history/connections';
import { HistoryError } from '@antelope-history/schemas';
import { pause } from './pause';
import { stopped } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';

const RECONNECT_MIN_MS = 200;
const RECONNECT_MAX_MS = 15_000;
/** A connection that stood so long was a good one: the next is tried soon. */
const STOOD_MS = 30_000;

/** A connection that comes back: when it is lost, who needs it next gets the one that takes its place. */
export class ServerLink {
  private reaching: Promise<ServerConnection> | undefined;
  private readonly closing = new AbortController();
  private readonly backoff = new Backoff(RECONNECT_MIN_MS, RECONNECT_MAX_MS);
  private wasLost = false;

  constructor(
    private readonly connect: (signal: AbortSignal) => Promise<ServerConnection>,
    private readonly onTrouble: (error: HistoryError) => void,
  ) {}

  /** The first connection: waits for a server that is away, and rejects when trying again is no use. */
  open(): Promise<ServerConnection> {
    return this.begin((error) => error.retryable);
  }

  /**
   * The connection that stands, or the next that does: it is tried for as long as it takes, because what refuses it now
   * did not before. Rejects with `STOPPED` after close.
   */
  connection(): Promise<ServerConnection> {
    return this.reaching ?? this.begin(() => true);
  }

  async close(): Promise<void> {
    this.closing.abort();
    const connection = await this.reaching?.catch(() => undefined);
    await connection?.close();
  }

  private begin(goesOnAfter: (error: HistoryError) => boolean): Promise<ServerConnection> {
    const reaching = this.reach(goesOnAfter);
    this.reaching = reaching;
    const forget = (): void => {
      if (this.reaching === reaching) this.reaching = undefined;
    };
    reaching.then((connection) => connection.ended.then(forget), forget);
    return reaching;
  }

  private async reach(goesOnAfter: (error: HistoryError) => boolean): Promise<ServerConnection> {
    const { signal } = this.closing;
    if (this.wasLost) await pause(this.backoff.next(), signal);
    while (!signal.aborted) {
      try {
        return this.watch(await this.connect(signal));
      } catch (error) {
        if (!(error instanceof HistoryError) || !goesOnAfter(error)) throw error;
        await this.waitAfter(error);
      }
    }
    throw stopped();
  }

  private watch(connection: ServerConnection): ServerConnection {
    const since = Date.now();
    connection.onBlocked(() => {
      this.tell(new HistoryError('BROKER_UNAVAILABLE', 'RabbitMQ takes no messages: it is short of memory or disk'));
    });
    void connection.ended.then(({ message }) => {
      this.wasLost = true;
      if (Date.now() - since > STOOD_MS) this.backoff.reset();
      this.tell(
        new HistoryError('BROKER_UNAVAILABLE', `the connection to RabbitMQ was lost (${message}); connecting again`),
      );
    });
    return connection;
  }

  private async waitAfter(error: HistoryError): Promise<void> {
    const waitMs = this.backoff.next();
    this.tell(new HistoryError(error.code, `${error.message}; trying again in ${(waitMs / 1000).toFixed(1)} s`));
    await pause(waitMs, this.closing.signal);
  }

  private tell(error: HistoryError): void {
    if (!this.closing.signal.aborted) this.onTrouble(error);
  }
}
