import { abortableSleep, Backoff, type ServerName } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import { createRedisClient, type RedisClient, type RedisOptions } from './redis-client';
import { nameServer, toCommandError, toConnectError } from './redis-errors';
import { TimeLimitError, withinLimit } from './time-limit';

const CONNECT_LIMIT_MS = 2_000;
/** Time limit for the reply to a command. A server that sends no reply for this long counts as unavailable. */
const REPLY_LIMIT_MS = 1_000;
const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 5_000;
const MAX_IN_FLIGHT = 2_000;

/**
 * A connection that reconnects whenever it ends. Commands fail immediately while there is no connection, because every
 * caller can continue without the store.
 */
export class RedisConnection {
  private client: RedisClient | undefined;
  private inFlight = 0;
  /** Time of the last reply, in milliseconds of `performance.now`. */
  private repliedAt = 0;
  private readonly closing = new AbortController();
  private reconnecting: Promise<void> = Promise.resolve();
  /** Error codes that were reported since the last connection was established. */
  private readonly reportedCodes = new Set<string>();
  private readonly server: ServerName;

  private constructor(
    private readonly options: RedisOptions,
    private readonly onTrouble: (error: HistoryError) => void,
  ) {
    this.server = nameServer(options.url);
  }

  /**
   * Opens a connection, and reconnects in the background if the server is unavailable. Rejects with a final error if
   * retries cannot succeed (see `toConnectError`).
   */
  static async open(options: RedisOptions, onTrouble: (error: HistoryError) => void): Promise<RedisConnection> {
    const connection = new RedisConnection(options, onTrouble);
    try {
      await connection.connect();
    } catch (error) {
      const reason = toConnectError(error, connection.server);
      if (!reason.retryable) throw reason;
      connection.report(reason);
      connection.reconnecting = connection.reconnect();
    }
    return connection;
  }

  /** Runs a command and returns its reply. Rejects with `KEY_VALUE_UNAVAILABLE`, or with `STOPPED` after `close`. */
  async run<T>(command: (client: RedisClient) => Promise<T>): Promise<T> {
    const { client } = this;
    if (this.closing.signal.aborted) throw new HistoryError('STOPPED', 'the key-value store is closed');
    if (!client) throw new HistoryError('KEY_VALUE_UNAVAILABLE', 'the key-value store is unavailable');
    if (this.inFlight >= MAX_IN_FLIGHT) {
      throw new HistoryError('KEY_VALUE_UNAVAILABLE', `the key-value store has ${MAX_IN_FLIGHT} commands in flight`);
    }
    this.inFlight++;
    try {
      const reply = await withinLimit(command(client), REPLY_LIMIT_MS);
      this.repliedAt = performance.now();
      return reply;
    } catch (error) {
      if (error instanceof TimeLimitError && this.isSilent()) this.lose(client, error);
      throw toCommandError(error);
    } finally {
      this.inFlight--;
    }
  }

  private isSilent(): boolean {
    return performance.now() - this.repliedAt >= REPLY_LIMIT_MS;
  }

  /** Waits for the commands in flight and closes the connection. */
  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.closing.abort();
    await this.reconnecting;
    if (!client) return;
    await withinLimit(client.close(), REPLY_LIMIT_MS).catch(() => undefined);
    client.destroy();
  }

  private async connect(): Promise<void> {
    const client = createRedisClient(this.options, CONNECT_LIMIT_MS);
    client.on('error', (error: unknown) => this.lose(client, error));
    try {
      await withinLimit(client.connect(), CONNECT_LIMIT_MS);
    } catch (error) {
      client.destroy();
      throw error;
    }
    if (this.closing.signal.aborted) {
      client.destroy();
      return;
    }
    this.client = client;
    this.reportedCodes.clear();
  }

  private lose(client: RedisClient, cause: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    client.destroy();
    this.report(toConnectError(cause, this.server));
    this.reconnecting = this.reconnect();
  }

  private async reconnect(): Promise<void> {
    const backoff = new Backoff(RECONNECT_MIN_MS, RECONNECT_MAX_MS);
    const { signal } = this.closing;
    for (;;) {
      await abortableSleep(backoff.next(), signal);
      if (this.client || signal.aborted) return;
      await this.connect().catch((error: unknown) => this.report(toConnectError(error, this.server)));
    }
  }

  /** Reports each error code once per outage. */
  private report(error: HistoryError): void {
    if (this.reportedCodes.has(error.code) || this.closing.signal.aborted) return;
    this.reportedCodes.add(error.code);
    this.onTrouble(error);
  }
}
