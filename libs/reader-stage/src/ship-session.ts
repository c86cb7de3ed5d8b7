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

/** What a session gives its owner. */
export interface ShipSessionEvents {
  /** A result of blocks; `message` are its own bytes. */
  onBlocks(result: BlocksResult, message: Buffer): void;
  /** Called once, when the socket is gone, with the reason. */
  onEnd(reason: HistoryError): void;
}

/** nodeos answers pings while it reads its socket; a peer that is gone without a word is found so. */
const PING_EVERY_MS = 10_000;
const PONG_LIMIT_MS = 45_000;

/**
 * What the socket may hold of ours that the node has not read: requests and acknowledgements are a few bytes each. Whoever
 * makes us write and does not read would fill our memory otherwise.
 */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * One connection to a node's state history: the ABI frame, the status, then one request of blocks. What comes out of that turn
 * ends the session: nothing reaches the owner before it knows the node's chain.
 */
export class ShipSession {
  private readonly socket: WebSocket;
  private requested = false;
  private frames: ShipFrames | undefined;
  private abiFrameText = '';
  private lastBlock: number | undefined;
  private opened: { resolve(status: ShipStatus): void; reject(error: HistoryError): void } | undefined;
  private ended = false;
  private lastHeardAt = Date.now();
  private connectLimit: NodeJS.Timeout | undefined;
  private pinging: NodeJS.Timeout | undefined;

  constructor(
    options: ShipSocketOptions,
    private readonly events: ShipSessionEvents,
  ) {
    this.socket = openShipSocket(options, (reason) => this.finish(reason));
    this.socket.on('message', (data, isBinary) => this.onMessage(data, isBinary));
    this.socket.on('pong', () => void (this.lastHeardAt = Date.now()));
    this.socket.on('ping', (data) => this.send(() => this.socket.pong(data)));
    this.socket.on('close', (code) => this.end(`the node closed the socket (code ${code})`));
  }

  /** The text frame that opened the socket. */
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

  request(request: BlocksRequest): void {
    this.requested = true;
    this.socket.send(encodeBlocksRequest(request));
  }

  acknowledge(messages: number): void {
    this.send(() => this.socket.send(encodeAck(messages)));
  }

  /** Stops reading from the network while the owner holds too much. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.lastHeardAt = Date.now();
    this.socket.resume();
  }

  close(reason: HistoryError): void {
    this.finish(reason);
  }

  private onMessage(data: RawData, isBinary: boolean): void {
    this.lastHeardAt = Date.now();
    if (this.ended) return;
    try {
      if (isBinary) this.onFrame(toBuffer(data));
      else this.onAbiFrame(toBuffer(data));
    } catch (error) {
      this.finish(toCorrupt(error, this.lastBlock));
    }
  }

  /** Compiles what the deserializer will need, too: a node that lacks it is refused before anything of it is passed on. */
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

  /** Ends the session when the node does not read what it is sent. */
  private send(write: () => void): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) this.end('the node does not read what it is sent');
    else write();
  }

  private ping(): void {
    if (this.socket.isPaused) return;
    if (Date.now() - this.lastHeardAt > PONG_LIMIT_MS) this.end('the node has not answered for 45 seconds');
    else if (this.socket.readyState === WebSocket.OPEN) this.socket.ping();
  }

  private end(why: string): void {
    this.finish(new HistoryError('SHIP_DISCONNECTED', why));
  }

  private finish(reason: HistoryError): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.connectLimit);
    clearInterval(this.pinging);
    this.socket.terminate();
    this.opened?.reject(reason);
    this.opened = undefined;
    this.events.onEnd(reason);
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function corrupt(what: string): HistoryError {
  return new HistoryError('SHIP_MESSAGE_CORRUPT', what);
}

/** What does not decode in a frame is a corrupt message, unless we know better. Where it was says the block before. */
function toCorrupt(error: unknown, lastBlock: number | undefined): HistoryError {
  if (hasErrorCode(error, 'SHIP_UNSUPPORTED')) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const place = lastBlock === undefined ? 'the first message' : `the message after block ${lastBlock}`;
  return new HistoryError('SHIP_MESSAGE_CORRUPT', `${place} does not decode: ${detail}`, { cause: error });
}
