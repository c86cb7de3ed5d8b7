import { once } from 'node:events';
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostOf } from '@antelope-history/connectivity';
import type { Upstreams } from './upstreams';

/** Shorter than an API's keep-alive timeout, so that no request is sent on a connection that is being closed. */
const IDLE_LIMIT_MS = 60_000;
/**
 * At most this many idle connections are kept per upstream. The agent has no limit for connections in use, because `WorkLimits`
 * limits the requests; in a queue of the agent, requests would wait for slow clients.
 */
const MAX_IDLE_SOCKETS = 64;
const CONNECT_LIMIT_MS = 5_000;
const OPTIONS = { timeout: IDLE_LIMIT_MS, maxFreeSockets: MAX_IDLE_SOCKETS };

/**
 * An agent that connects to any of several interchangeable servers. If a connection fails, the next server is tried, which
 * is safe because nothing of the request has been sent yet. `onUnavailable` is called for each failed connection.
 * Without `keepAlive` each request gets a connection of its own.
 */
export function createUpstreamAgent(upstreams: Upstreams, onUnavailable: OnUnavailable, keepAlive = true): HttpAgent {
  const options = { ...OPTIONS, keepAlive };
  const agent = isSecureSet(upstreams) ? new HttpsAgent(options) : new HttpAgent(options);
  const keepSocketAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const connector = new Connector(upstreams, agent.createConnection.bind(agent), onUnavailable);
  agent.createConnection = (options, callback) => {
    connector.connectToAny(options).then(
      (socket) => callback?.(null, socket),
      (error: unknown) => callback?.(error as Error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  agent.keepSocketAlive = (socket) => !connector.substitutes.has(socket) && keepSocketAlive(socket);
  return agent;
}

type OnUnavailable = (url: string, error: Error) => void;

const connected = new WeakMap<Duplex, string>();

/** The URL of the server that an agent's connection leads to: that of another one than the wanted when this one cannot be reached. */
export function serverOf(socket: Duplex): string | undefined {
  return connected.get(socket);
}

function isSecureSet({ urls }: Upstreams): boolean {
  return urls[0]?.startsWith('https:') ?? false;
}

/** Connects to the servers of a set. */
class Connector {
  /**
   * Connections to another server than the wanted one. The agent pools connections by the wanted address, so these must not be
   * reused.
   */
  readonly substitutes = new WeakSet<Duplex>();

  constructor(
    private readonly upstreams: Upstreams,
    private readonly connect: HttpAgent['createConnection'],
    private readonly onUnavailable: OnUnavailable,
  ) {}

  /** Connects to the wanted server, or to the first of the others that accepts. Rejects with the error of the last one. */
  async connectToAny(options: ClientRequestArgs): Promise<Socket> {
    const { upstreams } = this;
    const wanted = upstreams.urls.find((url) => isAt(url, options)) ?? upstreams.next();
    let failure: unknown;
    for (const url of upstreams.startingWith(wanted)) {
      try {
        const socket = await this.connectTo(url, options);
        if (url !== wanted) this.substitutes.add(socket);
        return socket;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  private async connectTo(url: string, options: ClientRequestArgs): Promise<Socket> {
    const socket = this.connect({ ...options, ...socketAddressOf(url) }) as Socket;
    try {
      const signal = AbortSignal.timeout(CONNECT_LIMIT_MS);
      await once(socket, isSecureSet(this.upstreams) ? 'secureConnect' : 'connect', { signal });
      this.upstreams.setAvailable(url);
      connected.set(socket, url);
      return socket;
    } catch (error) {
      socket.destroy();
      this.upstreams.setUnavailable(url);
      this.onUnavailable(url, error as Error);
      throw error;
    }
  }
}

function socketAddressOf(url: string): { host: string; port: number; servername: string } {
  const parsed = new URL(url);
  const { port, protocol } = parsed;
  const host = hostOf(parsed);
  // An IP address is no server name (RFC 6066, 3): Node.js 26 throws.
  const servername = isIP(host) === 0 ? host : '';
  return { host, port: Number(port || (protocol === 'https:' ? 443 : 80)), servername };
}

function isAt(url: string, { host, port }: ClientRequestArgs): boolean {
  const address = socketAddressOf(url);
  return hostOf({ hostname: String(host) }) === address.host && Number(port) === address.port;
}
