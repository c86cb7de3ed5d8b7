import { Backoff } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import type { ServerConnection } from './server-connection';
import { ServerLink } from './server-link';

const AWAY = new HistoryError('BROKER_UNAVAILABLE', 'away');
const REFUSED = new HistoryError('ACCESS_REFUSED', 'wrong password');

/** A connection without a server. */
class ConnectionStandIn {
  lose: (reason: Error) => void = () => undefined;
  isClosed = false;
  readonly ended = new Promise<Error>((resolve) => (this.lose = resolve));

  onBlocked(): void {
    // This one never is.
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.lose(new Error('closed'));
    return Promise.resolve();
  }
}

type Attempt = (signal: AbortSignal) => Promise<ConnectionStandIn>;

describe('the link to the server', () => {
  afterEach(() => jest.restoreAllMocks());

  const errors: HistoryError[] = [];
  /** The connections that were made, the newest last. */
  const made: ConnectionStandIn[] = [];
  beforeEach(() => {
    errors.length = 0;
    made.length = 0;
  });

  const connect = (): Promise<ConnectionStandIn> => {
    made.push(new ConnectionStandIn());
    return Promise.resolve(made.at(-1) as ConnectionStandIn);
  };
  const fail = (error: HistoryError) => (): Promise<never> => Promise.reject(error);

  /** A link that connects as `attempts` say, one after another, and then always succeeds. */
  function linkOf(attempts: Attempt[] = [], giveUpMs?: number): ServerLink {
    const attempt = (signal: AbortSignal) => (attempts.shift() ?? connect)(signal) as Promise<unknown>;
    return new ServerLink(
      attempt as (signal: AbortSignal) => Promise<ServerConnection>,
      (error) => errors.push(error),
      giveUpMs,
    );
  }

  /** Loses the newest connection; resolves with the milliseconds until there is another. */
  async function reconnect(link: ServerLink): Promise<number> {
    made.at(-1)?.lose(new Error('reset'));
    await new Promise(setImmediate);
    const startedAt = Date.now();
    await link.connection();
    return Date.now() - startedAt;
  }

  it('waits longer each time the server ends a young connection, and briefly after one that has lasted', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const link = linkOf();
    await link.open();
    const waits = [await reconnect(link), await reconnect(link), await reconnect(link)];
    // Timers may be early by a millisecond.
    for (const [index, least] of [99, 199, 399].entries()) expect(waits[index]).toBeGreaterThanOrEqual(least);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 31_000);
    // Without a new beginning the next wait is 800 ms.
    expect(await reconnect(link)).toBeLessThan(700);
    expect(errors).toHaveLength(4);
  });

  it('tries again after a refusal only if the same settings have worked before', async () => {
    await expect(linkOf([fail(REFUSED)]).open()).rejects.toBe(REFUSED);
    const link = linkOf([connect, fail(REFUSED)]);
    await link.open();
    await reconnect(link);
    expect(made).toHaveLength(2);
    expect(errors.map(({ code }) => code)).toEqual(['BROKER_UNAVAILABLE', 'ACCESS_REFUSED']);
  });

  it('keeps a connection when the one before it ends late', async () => {
    const link = linkOf();
    await link.open();
    const present = await link.open();
    made[0]?.lose(new Error('closed'));
    await new Promise(setImmediate);
    expect(await link.connection()).toBe(present);
  });

  it('connects again after it has given up', async () => {
    const link = linkOf([connect, fail(AWAY)], 50);
    await link.open();
    made[0]?.lose(new Error('reset'));
    await new Promise(setImmediate);
    await expect(link.connection()).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE', retryable: false });
    await link.connection();
    expect(made).toHaveLength(2);
  });

  it('reports no loss of the connection that it closes', async () => {
    const link = linkOf();
    await link.open();
    await link.close();
    expect([made[0]?.isClosed, errors]).toEqual([true, []]);
    await expect(link.connection()).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('closes at once while it waits for the next attempt', async () => {
    jest.spyOn(Backoff.prototype, 'next').mockReturnValue(600_000);
    const link = linkOf([fail(AWAY)]);
    const opening = expect(link.open()).rejects.toMatchObject({ code: 'STOPPED' });
    await new Promise(setImmediate);
    expect(errors).toHaveLength(1);
    await Promise.all([link.close(), opening]);
  });

  it('ends the attempt that is under way when it closes, and a connection that comes of it', async () => {
    const ended: Attempt = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(AWAY)));
    const ending = linkOf([ended]);
    const opening = expect(ending.open()).rejects.toMatchObject({ code: 'STOPPED' });
    await Promise.all([ending.close(), opening]);
    const late: Attempt = (signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => void connect().then(resolve)));
    const closing = linkOf([late]);
    void closing.open();
    await closing.close();
    expect([made[0]?.isClosed, errors]).toEqual([true, []]);
  });
});
