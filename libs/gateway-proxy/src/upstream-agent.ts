import { once } from 'node:events';
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
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
const OPTIONS = { keepAlive: true, timeout: IDLE_LIMIT_MS, maxFreeSockets: MAX_IDLE_SOCKETS };

/**
 * An agent that connects to any of several interchangeable servers. If a connection fails, the next server is tried, which
 * is safe because nothing of the request has been sent yet. `onUnavailable` is called for each failed connection.
 */
export function createUpstreamAgent(
  upstreams: Upstreams,
  onUnavailable: (url: string, error: Error) => void,
): HttpAgent {
  const isSecure = upstreams.urls[0]?.startsWith('https:') ?? false;
  const agent = isSecure ? new HttpsAgent(OPTIONS) : new HttpAgent(OPTIONS);
  const connect = agent.createConnection.bind(agent);
  const keepAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  /**
   * Connections to another server than the wanted one. The agent pools connections by the wanted address, so these must not be
   * reused.
   */
  const substitutes = new WeakSet<Duplex>();

  async function connectTo(url: string, options: ClientRequestArgs): Promise<Socket> {
    const socket = connect({ ...options, ...socketAddressOf(url) }) as Socket;
    try {
      const signal = AbortSignal.timeout(CONNECT_LIMIT_MS);
      await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
      upstreams.setAvailable(url);
      return socket;
    } catch (error) {
      socket.destroy();
      upstreams.setUnavailable(url);
      onUnavailable(url, error as Error);
      throw error;
    }
  }

  async function connectToAny(options: ClientRequestArgs): Promise<Socket> {
    const wanted = upstreams.urls.find((url) => isAt(url, options)) ?? upstreams.next();
    let failure: unknown;
    for (const url of upstreams.startingWith(wanted)) {
      try {
        const socket = await connectTo(url, options);
        if (url !== wanted) substitutes.add(socket);
        return socket;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  agent.createConnection = (options, callback) => {
    connectToAny(options).then(
      (socket) => callback?.(null, socket),
      (error: unknown) => callback?.(error as Error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  agent.keepSocketAlive = (socket) => !substitutes.has(socket) && keepAlive(socket);
  return agent;
}

function socketAddressOf(url: string): { host: string; port: number; servername: string } {
  const parsed = new URL(url);
  const { port, protocol } = parsed;
  const host = hostOf(parsed);
  return { host, port: Number(port || (protocol === 'https:' ? 443 : 80)), servername: host };
}

function isAt(url: string, { host, port }: ClientRequestArgs): boolean {
  const address = socketAddressOf(url);
  return hostOf({ hostname: String(host) }) === address.host && Number(port) === address.port;
}
