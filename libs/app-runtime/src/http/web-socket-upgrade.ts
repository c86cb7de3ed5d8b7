import { type IncomingHttpHeaders, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that came after a handshake within the same read. */
const bytesAfter = new WeakMap<IncomingMessage, Buffer>();

/**
 * A request of which only a WebSocket handshake without a body counts as an upgrade. As soon as a server handles upgrades at
 * all, node:http would pass it every request with an Upgrade header, without its body: some HTTP clients offer h2c with each
 * request. `shouldUpgradeCallback` would do the same, but Node 20 does not have it.
 */
export class UpgradableRequest extends IncomingMessage {
  get upgrade(): boolean {
    const { connection = '', upgrade = '' } = this.headers;
    const isHandshake = upgrade.toLowerCase() === 'websocket' && connection.toLowerCase().includes('upgrade');
    return this.method === 'CONNECT' || (this.method === 'GET' && isHandshake && !hasBody(this.headers));
  }

  /** node:http sets what its parser and its listeners say. */
  set upgrade(_value: boolean) {
    // The getter decides.
  }
}

/** After a handshake node:http reads no body: its bytes would be those of the WebSocket. */
function hasBody({ 'content-length': length, 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean {
  return length !== undefined || encoding !== undefined;
}

/**
 * Passes WebSocket handshakes to the listeners of requests, with a response: the app checks the client and its limits as for any
 * request, and either responds or takes the connection over (`isWebSocketHandshake`). The connection serves no other request.
 */
export function handleUpgrades(server: Server): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // node:http has removed its own listener.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // A pipelined request before this one has no response yet.
      socket.destroy();
      return;
    }
    response.once('finish', () => socket.destroySoon());
    bytesAfter.set(request, head);
    server.emit('request', request, response);
  });
}

/** Whether the request's connection can become a WebSocket. */
export function isWebSocketHandshake(request: IncomingMessage): boolean {
  return bytesAfter.has(request);
}

/** The first bytes of the WebSocket: those that came in one read with its handshake. */
export function bytesAfterHandshake(request: IncomingMessage): Buffer {
  return bytesAfter.get(request) ?? Buffer.alloc(0);
}
