import type { Socket } from 'node:net';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import {
  createShipProtocol,
  encodeAck,
  encodeBlocksRequest,
  encodeStatusRequest,
  MAX_ABI_FRAME_BYTES,
  type BlocksRequest,
  type BlocksResult,
  type ShipFrames,
  type ShipStatus,
} from '@antelope-history/ship';
import WebSocket, { type RawData } from 'ws';
import { CONNECT_LIMIT_MS, openShipSocket, type ShipSocketOptions } from './ship-socket';

/** Callbacks of a session's owner. */
export interface ShipSessionEvents {
  /** A blocks result; `message` holds its packed bytes. */
  onBlocks(result: BlocksResult, message: Buffer): void;
  /** Called once, with the reason, when the session has ended. */
  onEnd(reason: HistoryError): void;
}

/** nodeos sends pongs while it reads its socket. A missing pong reveals a peer that vanished without closing the connection. */
const PING_EVERY_MS = 10_000;
const PONG_LIMIT_MS = 45_000;

/**
 * Limit of bytes that wait in the socket because the node does not read them. Requests, acknowledgements and pongs have a few
 * bytes each; without a limit, a node that provokes writes and never reads would exhaust memory.
 */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * One connection to a node's state history socket: ABI frame, status, then one blocks request. A message out of this order ends
 * the session, so the owner receives no block before it knows the node's chain.
 */
export class ShipSession {
  private readonly socket: WebSocket;
  /** The connection beneath the websocket. */
  private network: Socket | undefined;
  private requested = false;
  private frames: ShipFrames | undefined;
  private abiFrameText = '';
  private lastBlock: number | undefined;
  private opened: { resolve(status: ShipStatus): void; reject(error: HistoryError): void } | undefined;
  private ended = false;
  private lastReceivedAt = performance.now();
  private connectLimit: NodeJS.Timeout | undefined;
  private pinging: NodeJS.Timeout | undefined;

  constructor(
    options: ShipSocketOptions,
    private readonly events: ShipSessionEvents,
  ) {
    this.socket = openShipSocket(options, (reason) => this.close(reason));
    this.socket.on('upgrade', (response) => (this.network = response.socket));
    this.socket.on('message', (data, isBinary) => this.onMessage(data, isBinary));
    this.socket.on('pong', () => void (this.lastReceivedAt = performance.now()));
    this.socket.on('ping', (data) => this.send(() => this.socket.pong(data)));
    this.socket.on('close', (code) => this.end(`the node closed the socket (code ${code})`));
  }

  /** The ABI text frame, the first message of the socket. */
  get abiFrame(): string {
    return this.abiFrameText;
  }

  /**
   * Resolves with the node's status; rejects with `SHIP_DISCONNECTED`, `SHIP_UNSUPPORTED`, `ACCESS_REFUSED` or
   * `CERTIFICATE_REFUSED`.
   */
  open(): Promise<ShipStatus> {
    return new Promise((resolve, reject) => {
      this.opened = { resolve, reject };
      this.connectLimit = setTimeout(() => this.end('no status within 10 seconds'), CONNECT_LIMIT_MS);
      this.pinging = setInterval(() => this.ping(), PING_EVERY_MS);
    });
  }

  /** The bytes that have arrived, those of incomplete messages included. */
  get receivedBytes(): number {
    return this.network?.bytesRead ?? 0;
  }

  /** Whether blocks were requested. */
  get isRequested(): boolean {
    return this.requested;
  }

  request(request: BlocksRequest): void {
    this.requested = true;
    this.socket.send(encodeBlocksRequest(request, this.frames?.sendsFinalityData));
  }

  acknowledge(messages: number): void {
    this.send(() => this.socket.send(encodeAck(messages)));
  }

  /** Stops reading from the network until `resume`. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.lastReceivedAt = performance.now();
    this.socket.resume();
  }

  close(reason: HistoryError): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.connectLimit);
    clearInterval(this.pinging);
    this.socket.terminate();
    this.opened?.reject(reason);
    this.opened = undefined;
    this.events.onEnd(reason);
  }

  private onMessage(data: RawData, isBinary: boolean): void {
    this.lastReceivedAt = performance.now();
    if (this.ended) return;
    try {
      if (isBinary) this.onFrame(toBuffer(data));
      else this.onAbiFrame(toBuffer(data));
    } catch (error) {
      this.close(toCorrupt(error, this.lastBlock));
    }
  }

  /** Compiles all readers, also those of the deserializer: a node that lacks a type is refused before a block is published. */
  private onAbiFrame(frame: Buffer): void {
    if (this.frames) throw corrupt('the node sent a second text frame');
    this.abiFrameText = frame.toString('utf8', 0, MAX_ABI_FRAME_BYTES + 1);
    this.frames = createShipProtocol(this.abiFrameText);
    this.socket.send(encodeStatusRequest());
  }

  private onFrame(message: Buffer): void {
    if (!this.frames) throw new HistoryError('SHIP_UNSUPPORTED', 'the socket did not begin with an ABI text frame');
    const result = this.frames.readResult(message);
    if (result.kind === 'blocks') {
      if (!this.requested) throw corrupt('the node sent a block that was not requested');
      this.lastBlock = result.blocks.thisBlock?.num ?? this.lastBlock;
      this.events.onBlocks(result.blocks, message);
      return;
    }
    const opened = this.opened;
    if (!opened) throw corrupt('the node sent a status that was not requested');
    this.opened = undefined;
    clearTimeout(this.connectLimit);
    opened.resolve(result.status);
  }

  /** Writes, or ends the session when too many written bytes are still unread. */
  private send(write: () => void): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) this.end('the node does not read the messages that it is sent');
    else write();
  }

  private ping(): void {
    if (this.socket.isPaused) return;
    if (performance.now() - this.lastReceivedAt > PONG_LIMIT_MS) this.end('the node has sent nothing for 45 seconds');
    else if (this.socket.readyState === WebSocket.OPEN) this.socket.ping();
  }

  private end(reason: string): void {
    this.close(new HistoryError('SHIP_DISCONNECTED', reason));
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function corrupt(what: string): HistoryError {
  return new HistoryError('SHIP_MESSAGE_CORRUPT', what);
}

/** The error for a message that does not decode: corrupt, unless the ABI is unsupported. Names the block before it. */
function toCorrupt(error: unknown, lastBlock: number | undefined): HistoryError {
  if (hasErrorCode(error, 'SHIP_UNSUPPORTED')) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const place = lastBlock === undefined ? 'the first message' : `the message after block ${lastBlock}`;
  return new HistoryError('SHIP_MESSAGE_CORRUPT', `${place} does not decode: ${detail}`, { cause: error });
}
