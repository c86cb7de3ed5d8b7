import type { RecordedMessage } from '@antelope-history/test-support/recordings';
import type { RawData, WebSocket } from 'ws';
import type { ReplayClock } from './replay-clock';
import type { FaultInjector } from './replay-faults';
import type { NodeListener, ReplayNode } from './replay-node';
import type { ShipDialect } from './ship-dialect';
import { decodeRequest, MalformedRequest, type BlocksRequest, type ShipRequest } from './ship-requests';
import { encodeBlocksResult, encodeStatusResult } from './ship-results';

/** Counts of one connection. */
export interface ConnectionStats {
  open: boolean;
  /** Results sent, and results that the client acknowledged. */
  sent: number;
  acknowledged: number;
  statusRequests: number;
  /** Results that may be sent before the next acknowledgement. */
  credit: number;
  /** Bytes written to the socket that the client has not read. */
  bufferedBytes: number;
}

/** State that all connections of a server share. */
export interface ConnectionContext {
  abi: string;
  chainId: string | undefined;
  dialect: ShipDialect;
  node: ReplayNode;
  clock: ReplayClock;
  faults: FaultInjector;
  /** While a client has more unread bytes than this, nothing is sent to it and its requests are not read. */
  maxBufferedBytes: number;
}

/**
 * The session of a client, by the rules of nodeos (EOSIO 2.0 state_history_plugin.cpp, Leap session.hpp): a cursor into the
 * node's branch, a credit, and whether an update is due.
 */
export class ReplayConnection implements NodeListener {
  private readonly dropAfter: number;
  private request: BlocksRequest | undefined;
  private cursor = 0;
  private credit = 0;
  private knownBlocks = 0;
  private updateDue = false;
  private delay: NodeJS.Timeout | undefined;
  private sent = 0;
  private acknowledged = 0;
  private statusRequests = 0;
  private open = true;

  constructor(
    private readonly socket: WebSocket,
    private readonly context: ConnectionContext,
  ) {
    this.dropAfter = context.faults.drawDropAfter();
    context.node.listeners.add(this);
    socket.on('message', (data, isBinary) => this.onFrame(data, isBinary));
    socket.on('close', () => this.onClose());
    // A frame that violates the websocket protocol; `close` follows.
    socket.on('error', () => socket.terminate());
    socket.send(context.abi);
  }

  get stats(): ConnectionStats {
    const { open, sent, acknowledged, statusRequests, credit } = this;
    return { open, sent, acknowledged, statusRequests, credit, bufferedBytes: this.socket.bufferedAmount };
  }

  onBlock(num: number): void {
    if (!this.request) return;
    if (this.credit > 0 || this.context.dialect.rewindsWithoutCredit) this.cursor = Math.min(this.cursor, num);
    // Leap drops this update too without credit, and sends nothing until the next block: the last block of a recording would never arrive.
    this.updateDue = true;
    if (this.maySend) this.sendUpdate(this.request);
  }

  onSettled(): void {
    this.pump();
  }

  /** nodeos cuts the connection, without a close frame, when it can not unpack a request. */
  private onFrame(data: RawData, isBinary: boolean): void {
    if (!this.open) return;
    try {
      if (!isBinary || !Buffer.isBuffer(data)) throw new MalformedRequest('A request is a binary frame');
      this.handle(decodeRequest(data, this.context.dialect));
    } catch (error) {
      if (!(error instanceof MalformedRequest)) throw error;
      this.socket.terminate();
    }
  }

  private handle(request: ShipRequest): void {
    switch (request.type) {
      case 'status':
        return this.sendStatus(request.version);
      case 'acknowledge':
        return this.acknowledge(request.messages);
      case 'blocks':
        return this.begin(request);
    }
  }

  private sendStatus(version: 0 | 1): void {
    const { dialect, node, faults, chainId } = this.context;
    this.statusRequests++;
    this.send([encodeStatusResult(dialect, version, node.describe(), faults.chainId ?? chainId)]);
  }

  private acknowledge(messages: number): void {
    if (!this.request) return;
    this.acknowledged += messages;
    // nodeos counts in 32 bits, with overflow.
    this.credit = (this.credit + messages) >>> 0;
    this.pump();
  }

  /** A new request replaces the old one, with its credit. */
  private begin(request: BlocksRequest): void {
    const { dialect, node, clock } = this.context;
    this.request = undefined;
    clock.begin(request.start);
    this.request = request;
    this.credit = request.credit;
    this.knownBlocks = 0;
    this.cursor = dialect.startsAtFirstBlock ? Math.max(request.start, node.firstBlock) : request.start;
    for (const { num, id } of request.havePositions) {
      if (num < request.start && node.block(num)?.thisBlock?.id !== id) this.cursor = Math.min(this.cursor, num);
    }
    this.updateDue = true;
    this.pump();
  }

  private pump(): void {
    if (!this.request) return;
    while (this.updateDue && this.maySend) this.sendUpdate(this.request);
    if (this.maySend && this.cursor < this.request.end) this.context.clock.demand();
  }

  private get maySend(): boolean {
    return this.open && this.sent < this.dropAfter && this.credit > 0 && this.delay === undefined && !this.isCongested;
  }

  private get isCongested(): boolean {
    return this.socket.bufferedAmount >= this.context.maxBufferedBytes;
  }

  private sendUpdate(request: BlocksRequest): void {
    const { dialect, node } = this.context;
    const last = request.irreversibleOnly ? node.lastIrreversible.num : node.head.num;
    const isDue = (): boolean => this.cursor <= last && this.cursor < request.end;
    if (!isDue()) {
      this.updateDue = false;
      if (dialect.announcesHeads) this.sendResult(request, undefined);
      return;
    }
    const message = node.block(this.cursor++);
    const known = message !== undefined && this.isKnown(request, message);
    this.updateDue = isDue();
    if (!known) this.sendResult(request, message);
  }

  /** Whether the client named this block in have_positions. Each entry is read once, in order. */
  private isKnown(request: BlocksRequest, { thisBlock }: RecordedMessage): boolean {
    const named = request.havePositions[this.knownBlocks];
    if (!this.context.dialect.skipsKnownBlocks || named === undefined || named.num !== thisBlock?.num) return false;
    this.knownBlocks++;
    return named.id === thisBlock.id;
  }

  private sendResult(request: BlocksRequest, message: RecordedMessage | undefined): void {
    const { dialect, node, faults } = this.context;
    this.credit--;
    this.sent++;
    this.send(faults.mutate(encodeBlocksResult(dialect, request, node, message)));
    this.holdFor(faults.drawDelayMs());
  }

  private holdFor(ms: number): void {
    if (ms <= 0) return;
    this.delay = setTimeout(() => {
      this.delay = undefined;
      this.pump();
    }, ms);
  }

  /** Sends one message as a fragment per piece: the recorded bytes are never copied. */
  private send(pieces: Buffer[]): void {
    pieces.forEach((piece, index) => {
      const fin = index === pieces.length - 1;
      this.socket.send(piece, { binary: true, fin }, fin ? () => this.onSent() : undefined);
    });
    if (this.isCongested) this.socket.pause();
  }

  private onSent(): void {
    if (this.sent >= this.dropAfter) this.socket.terminate();
    if (!this.socket.isPaused || this.isCongested) return;
    this.socket.resume();
    this.pump();
  }

  private onClose(): void {
    this.open = false;
    clearTimeout(this.delay);
    this.context.node.listeners.delete(this);
  }
}
