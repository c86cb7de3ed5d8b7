import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { bytesAfterHandshake } from '@antelope-history/app-runtime';
import type { StreamReader } from './stream-costs';

/** The upstream's side of an accepted handshake. */
export interface UpstreamWebSocket {
  handshake: IncomingMessage;
  socket: Socket;
  /** The first bytes after the handshake, which arrived together with it. */
  head: Buffer;
}

/** The connection to an API is cut after this time without data. An API writes at least every 15 s. */
export const SILENCE_LIMIT_MS = 60_000;
/** The headers of the upstream's reply to the handshake that are forwarded to the client. */
const HANDSHAKE_HEADERS = ['sec-websocket-accept', 'sec-websocket-protocol', 'x-request-id'];
/** Both pipelines and each limit of a connection listen for its end; Node.js warns from the eleventh listener on. */
const MAX_LISTENERS = 20;

/**
 * Accepts a client's WebSocket handshake as the upstream accepted it, and passes the bytes of both connections on until one of
 * them ends or the signal aborts. `watch` gets the upstream's frames; otherwise the gateway does not look into them.
 */
export async function joinWebSockets(
  request: IncomingMessage,
  { handshake, socket: upstream, head }: UpstreamWebSocket,
  signal: AbortSignal,
  watch?: StreamReader,
): Promise<void> {
  const client = request.socket;
  client.setMaxListeners(MAX_LISTENERS);
  const lines = ['HTTP/1.1 101 Switching Protocols', 'connection: Upgrade', 'upgrade: websocket'];
  for (const name of HANDSHAKE_HEADERS) {
    const value = handshake.headers[name];
    if (typeof value === 'string') lines.push(`${name}: ${value}`);
  }
  client.write(`${lines.join('\r\n')}\r\n\r\n`);
  client.write(head);
  watch?.(head);
  if (watch) upstream.on('data', watch);
  upstream.write(bytesAfterHandshake(request));
  upstream.setTimeout(SILENCE_LIMIT_MS, () => upstream.destroy());
  const end = (): void => {
    upstream.destroySoon();
    client.destroySoon();
  };
  // The client may have left, or the gateway have stopped, while the API opened its side.
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  await Promise.race([pipeline(upstream, client), pipeline(client, upstream)]).catch(() => undefined);
  end();
}
