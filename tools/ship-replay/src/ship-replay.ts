import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRecording, type Recording } from '@antelope-history/test-support/recordings';
import { WebSocketServer, type WebSocket } from 'ws';
import { createClock, type ReplayPace } from './replay-clock';
import { ReplayConnection, type ConnectionContext, type ConnectionStats } from './replay-connection';
import { FaultInjector, type ReplayFaults } from './replay-faults';
import { ReplayNode } from './replay-node';
import { readDialect } from './ship-dialect';

export interface ShipReplayOptions {
  /** A recording, or the folder of one. */
  recording: Recording | string;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Default `demand`: the recording plays as clients read it. */
  pace?: ReplayPace;
  /**
   * Messages that the node holds at the start, at least 1 (the default); `end`: the whole recording, of which only the final branch is
   * seen.
   */
  position?: number | 'end';
  /** Chain id for the status, when the recording does not carry it. */
  chainId?: string;
  faults?: ReplayFaults;
  /** Limit on unread bytes per client; above it nothing is sent to the client. Default 4 MiB. */
  maxBufferedBytes?: number;
}

export interface ShipReplayStats {
  /** Number of messages played, and of all messages of the recording. */
  position: number;
  length: number;
  /** Head of the node at that position. */
  headBlockNum: number;
  /** The last thousand connections, in order. */
  connections: ConnectionStats[];
}

const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 256;
const MAX_REMEMBERED_CONNECTIONS = 1000;
const DEFAULT_MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/**
 * Serves a recording on a state history socket. Rejects when the recording can not be read, when the chain id is missing, or
 * when the port is in use.
 */
export async function createShipReplay(options: ShipReplayOptions): Promise<ShipReplay> {
  const recording = typeof options.recording === 'string' ? openRecording(options.recording) : options.recording;
  const dialect = readDialect(recording.abi);
  const chainId = options.chainId ?? recording.chainId;
  if (dialect.statusHasChainId && chainId === undefined) {
    throw new Error('The recording does not carry its chain id: give it as chainId');
  }
  const node = new ReplayNode(recording, dialect, options.position === 'end' ? Infinity : (options.position ?? 1));
  const context: ConnectionContext = {
    abi: recording.abi,
    chainId,
    dialect,
    node,
    clock: createClock(options.pace ?? 'demand', node),
    faults: new FaultInjector(options.faults ?? {}),
    maxBufferedBytes: options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES,
  };
  const replay = new ShipReplay(context);
  await replay.listen(options.host ?? '127.0.0.1', options.port ?? 0);
  return replay;
}

/** A running server; `createShipReplay` makes it. */
export class ShipReplay {
  private readonly http: Server;
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_REQUEST_BYTES,
  });
  private readonly connections: ReplayConnection[] = [];
  private refusingUntil = 0;

  constructor(private readonly context: ConnectionContext) {
    this.http = createServer((_request, response) => response.writeHead(426).end('A websocket is served here\n'));
    this.http.maxConnections = MAX_CONNECTIONS;
    this.http.on('upgrade', (request, socket, head) => {
      if (Date.now() < this.refusingUntil) socket.destroy();
      else this.sockets.handleUpgrade(request, socket, head, (websocket) => this.accept(websocket));
    });
  }

  /** Starts to listen; `createShipReplay` calls it. */
  async listen(host: string, port: number): Promise<void> {
    this.http.listen(port, host);
    await once(this.http, 'listening');
  }

  get port(): number {
    return this.address.port;
  }

  get url(): string {
    const { address, family, port } = this.address;
    return `ws://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  get stats(): ShipReplayStats {
    const { node } = this.context;
    return {
      position: node.position,
      length: node.length,
      headBlockNum: node.head.num,
      connections: this.connections.map((connection) => connection.stats),
    };
  }

  /** Plays `messages` further messages, whatever the pace. */
  advance(messages = 1): void {
    for (let count = 0; count < messages; count++) this.context.node.advance();
  }

  /** Replaces the faults; `dropAfter` applies to new connections. */
  setFaults(faults: ReplayFaults): void {
    this.context.faults = new FaultInjector(faults);
  }

  /** Cuts every connection without a close frame. */
  dropConnections(): void {
    for (const socket of this.sockets.clients) socket.terminate();
  }

  /** Refuses new connections for a time. */
  refuseConnections(ms: number): void {
    this.refusingUntil = Date.now() + ms;
  }

  async close(): Promise<void> {
    this.context.clock.stop();
    this.dropConnections();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private get address(): AddressInfo {
    const address = this.http.address();
    if (address === null || typeof address === 'string') throw new Error('The server is closed');
    return address;
  }

  private accept(websocket: WebSocket): void {
    if (this.connections.length >= MAX_REMEMBERED_CONNECTIONS) this.connections.shift();
    this.connections.push(new ReplayConnection(websocket, this.context));
  }
}
