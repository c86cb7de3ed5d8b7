import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { WebSocket, WebSocketServer } from 'ws';
import { bytesAfterHandshake, clientSignal, costReport, requestIdOf } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import type { StreamEvent } from './action-stream';
import { CLOSE_LIMIT_MS, type CloseReason, dataOf, type EventSink, isDrained, KEEP_ALIVE_MS } from './event-sink';

/** RFC 6455, 4.1: 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';
/** Clients send nothing but pings and the close frame, which have at most 125 bytes (RFC 6455, 5.5). */
const MAX_MESSAGE_BYTES = 125;
/** A client may send this many pings and pongs between two pings of the service. */
const MAX_CONTROL_FRAMES = 30;
/** Status codes of RFC 6455, 7.4.1, and the registered 1013 (try again later). */
const CODES: Record<CloseReason, number> = { shutdown: 1001, slow_client: 1008, unavailable: 1013 };
const NO_MESSAGES = 1008;

/** Sends events as text messages of a WebSocket: `{"event":…,"id":…,"data":…}`. */
export class WebSocketEvents implements EventSink {
  readonly left: AbortSignal;
  private readonly keepAlive: NodeJS.Timeout;
  private isAlive = true;
  private controlFrames = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Socket,
    response: Response,
  ) {
    this.left = clientSignal(response);
    this.keepAlive = setInterval(() => this.ping(), KEEP_ALIVE_MS);
    socket.once('close', () => clearInterval(this.keepAlive));
    // After an error, the library closes the connection itself.
    socket.on('error', () => undefined);
    socket.on('message', () => socket.close(NO_MESSAGES, 'the stream takes no messages'));
    socket.on('pong', () => {
      this.isAlive = true;
      this.countControlFrame();
    });
    socket.on('ping', () => this.countControlFrame());
  }

  async send(event: StreamEvent, signal: AbortSignal): Promise<boolean> {
    const text = `{"event":"${event.type}","id":"${event.id}","data":${dataOf(event)}}`;
    // One side has sent a close frame. The library would keep the connection for 30 s and drop what is sent.
    if (this.socket.readyState !== WebSocket.OPEN) {
      this.socket.terminate();
      return false;
    }
    this.socket.send(text);
    return this.connection.writableNeedDrain ? isDrained(this.connection, signal) : true;
  }

  reportCost(cost: number): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.pong(costReport(cost));
  }

  async close(reason: CloseReason): Promise<void> {
    const { socket } = this;
    socket.close(CODES[reason], reason);
    const limit = setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS);
    if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
    clearTimeout(limit);
  }

  private countControlFrame(): void {
    if (++this.controlFrames > MAX_CONTROL_FRAMES) this.socket.terminate();
  }

  private ping(): void {
    if (!this.isAlive) {
      this.socket.terminate();
      return;
    }
    this.isAlive = false;
    this.controlFrames = 0;
    this.socket.ping();
  }
}

/** Takes over the connection of a handshake. Throws `INVALID_REQUEST` if RFC 6455 does not allow it. */
export function acceptWebSocket(request: Request, response: Response): WebSocketEvents {
  if (request.get('sec-websocket-version') !== VERSION)
    throw new HistoryError('INVALID_REQUEST', `Sec-WebSocket-Version: send ${VERSION}`);
  if (!KEY.test(request.get('sec-websocket-key') ?? ''))
    throw new HistoryError('INVALID_REQUEST', 'Sec-WebSocket-Key: send 16 bytes in base64');
  response.statusCode = 101;
  let accepted: WebSocketEvents | undefined;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  let refusal: Error | undefined;
  // With a listener, the library does not send its own error page.
  server.once('wsClientError', (error) => (refusal = error));
  // The library writes the response itself, without the headers that were set.
  server.once('headers', (lines) => lines.push(`x-request-id: ${requestIdOf(response)}`));
  // The callbacks are called before this returns, unless the client has left.
  server.handleUpgrade(request, request.socket, bytesAfterHandshake(request), (socket) => {
    accepted = new WebSocketEvents(socket, request.socket, response);
  });
  if (refusal) throw new HistoryError('INVALID_REQUEST', refusal.message);
  if (!accepted) throw new HistoryError('CLIENT_LEFT', 'the client closed the connection');
  return accepted;
}
