import { once } from 'node:events';
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Upstreams } from './upstreams';

/** Shorter than an app keeps idle connections, so that a request never goes into a closing one. */
const IDLE_LIMIT_MS = 60_000;
/**
 * Connections in use are as many as the requests that the gateway admits (`WorkLimits`); the agent has no bound of its
 * own, because its queue would be behind slow clients. So many idle ones are kept per upstream.
 */
const MAX_IDLE_SOCKETS = 64;
const CONNECT_LIMIT_MS = 5_000;
const OPTIONS = { keepAlive: true, timeout: IDLE_LIMIT_MS, maxFreeSockets: MAX_IDLE_SOCKETS };

/**
 * Connections to servers of which any may answer. One that can not be reached is passed over: nothing of the request has
 * been sent by then, so another can take it. `onAway` is told.
 */
export function createUpstreamAgent(upstreams: Upstreams, onAway: (url: string, error: Error) => void): HttpAgent {
  const isSecure = upstreams.urls[0]?.startsWith('https:') ?? false;
  const agent = isSecure ? new HttpsAgent(OPTIONS) : new HttpAgent(OPTIONS);
  const connect = agent.createConnection.bind(agent);
  const keepAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  /** Connections to another upstream than was wanted: the agent would reuse them as connections to the wanted one. */
  const strays = new WeakSet<Duplex>();

  async function connectTo(url: string, options: ClientRequestArgs): Promise<Socket> {
    const socket = connect({ ...options, ...addressOf(url) }) as Socket;
    try {
      const signal = AbortSignal.timeout(CONNECT_LIMIT_MS);
      await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
      upstreams.setHere(url);
      return socket;
    } catch (error) {
      socket.destroy();
      upstreams.setAway(url);
      onAway(url, error as Error);
      throw error;
    }
  }

  async function connectToAny(options: ClientRequestArgs): Promise<Socket> {
    const wanted = upstreams.urls.find((url) => isAt(url, options)) ?? upstreams.next();
    let failure: unknown;
    for (const url of upstreams.startingWith(wanted)) {
      try {
        const socket = await connectTo(url, options);
        if (url !== wanted) strays.add(socket);
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
  agent.keepSocketAlive = (socket) => !strays.has(socket) && keepAlive(socket);
  return agent;
}

function addressOf(url: string): { host: string; port: number; servername: string } {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(port || (protocol === 'https:' ? 443 : 80)), servername: host };
}

function isAt(url: string, { host, port }: ClientRequestArgs): boolean {
  const address = addressOf(url);
  return String(host).replace(/^\[|\]$/g, '') === address.host && Number(port) === address.port;
}
