import {
  ClusterConnectionPool,
  type ConnectionOptions,
  type ConnectionRequestOptions,
  type ConnectionRequestOptionsAsStream,
  type ConnectionRequestParams,
  type ConnectionRequestResponse,
  type ConnectionRequestResponseAsStream,
  UndiciConnection,
} from '@elastic/elasticsearch';
import { withLinkedSignal } from './linked-signal';

/** A node is checked when a request has waited for it for so long, and then again and again. */
const CHECK_EVERY_MS = 3_000;
/** Longer than usual garbage collections. */
const CHECK_LIMIT_MS = 5_000;
const CHECK = { method: 'GET', path: '/' };
/** A node that failed is checked in this interval while requests are sent. */
const RETRY_AFTER_MS = 5_000;

/**
 * The connection to one of several nodes. A request fails as that of a broken connection when the node does not respond to anything
 * any more, so that the client sends it to another node: alone, it would wait for its whole time limit. A request that only takes
 * long is not cut off.
 */
export class WatchedConnection extends UndiciConnection {
  /** Checks do not wait behind the requests that the node is busy with. */
  private readonly checks: UndiciConnection;
  private checking: Promise<boolean> | undefined;
  /** When a check of this node as a failed one began, by `performance.now()`. */
  checkedAt = -Infinity;

  constructor(options: ConnectionOptions) {
    super(options);
    this.checks = new UndiciConnection({ ...options, agent: { connections: 1 } });
  }

  override request(
    params: ConnectionRequestParams,
    options: ConnectionRequestOptions,
  ): Promise<ConnectionRequestResponse>;
  override request(
    params: ConnectionRequestParams,
    options: ConnectionRequestOptionsAsStream,
  ): Promise<ConnectionRequestResponseAsStream>;
  override async request(
    params: ConnectionRequestParams,
    options: ConnectionRequestOptions,
  ): Promise<ConnectionRequestResponse | ConnectionRequestResponseAsStream> {
    const request = super.request.bind(this);
    return withLinkedSignal(options.signal ? [options.signal] : [], async (ending) => {
      // An error without a code counts as that of a broken connection.
      const cutOff = (): void => ending.abort(new Error('the node does not respond'));
      const timer = setInterval(() => void this.responds().then((responds) => responds || cutOff()), CHECK_EVERY_MS);
      try {
        return await request(params, { ...options, signal: ending.signal });
      } finally {
        clearInterval(timer);
      }
    });
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.checks.close()]);
  }

  /** Whether the node responds within `CHECK_LIMIT_MS`, whatever it says. Never rejects. */
  responds(): Promise<boolean> {
    const options = { requestId: 0, name: 'check', context: null, timeout: CHECK_LIMIT_MS };
    this.checking ??= this.checks
      .request(CHECK, options)
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.checking = undefined));
    return this.checking;
  }
}

/**
 * The nodes of a cluster: one that failed is not used, while there are others, until it responds to a check. The library's own checks
 * begin anew with each request until the first one ends, and are further apart after each that fails.
 */
export class NodePool extends ClusterConnectionPool {
  override resurrect(): void {
    const now = performance.now();
    for (const connection of this.connections) {
      if (!(connection instanceof WatchedConnection) || !this.dead.includes(connection.id)) continue;
      if (connection.checkedAt + RETRY_AFTER_MS > now) continue;
      connection.checkedAt = now;
      void connection.responds().then((responds) => responds && this.markAlive(connection));
    }
  }
}
