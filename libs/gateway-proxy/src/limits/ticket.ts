import type { HistoryError } from '@antelope-history/schemas';

export interface TicketHandlers {
  /** The request may be sent to its upstream. */
  start(): void;
  refuse(error: HistoryError): void;
  /** The response has to be aborted. */
  abort(): void;
}

/** The counters that a ticket reports to. */
export interface TicketCounts {
  leaveQueue(ticket: TicketOfLimits): void;
  /** The upstream has finished its work on the request. */
  endWork(ticket: TicketOfLimits): void;
  /** The number of held response bytes changed by `change`. */
  moveBytes(ticket: TicketOfLimits, change: number): void;
  /** The response has ended; its `charged` bytes are released. */
  endResponse(ticket: TicketOfLimits, charged: number): void;
}

/** What one request holds of the gateway, from its admission until the end of its response. */
export interface Ticket {
  /** The upstream's response head has arrived. `bytes`: its content length, undefined for a chunked body. */
  beginResponse(bytes: number | undefined): void;
  /**
   * A body chunk has arrived. Backpressure delays it until earlier chunks were written or fit into the socket buffers. The chunks of a
   * response are at most as long as its content length together, where the HTTP parser ends the body.
   */
  receive(bytes: number): void;
  /** The upstream has sent the whole response, or is blocked by the client's backpressure. */
  endWork(): void;
  /** The response has ended, or the client has disconnected. */
  end(): void;
}

/** Bytes that the socket buffers of both connections can hold of a response, whatever its length. */
export const BUFFERED_BYTES = 64 * 1024;

/** The ticket that `WorkLimits` issues and counts. */
export class TicketOfLimits implements Ticket {
  state: 'waiting' | 'working' | 'sending' | 'ended' = 'waiting';
  /** Time of the last byte received or sent, on the clock of `WorkLimits`. */
  movedAt = 0;
  private charged = 0;
  private isResponding = false;
  private hasLength = false;
  /** Bytes of the last chunk, which may still be buffered. */
  private received = 0;
  private left: (() => void) | undefined;

  constructor(
    private readonly limits: TicketCounts,
    readonly client: string,
    private readonly handlers: TicketHandlers,
  ) {}

  /** Registers the callback for the moment when the ticket leaves the queue. */
  onceLeft(callback: () => void): void {
    this.left = callback;
  }

  start(): void {
    this.leave('working');
    this.handlers.start();
  }

  refuse(error: HistoryError): void {
    this.leave('ended');
    this.handlers.refuse(error);
  }

  abort(): void {
    this.end();
    this.handlers.abort();
  }

  beginResponse(bytes: number | undefined): void {
    if (this.state !== 'working') return;
    this.isResponding = true;
    this.hasLength = bytes !== undefined;
    this.charge(BUFFERED_BYTES + (bytes ?? 0));
    // An upstream that sends a content length has finished the response.
    if (this.hasLength) this.endWork();
  }

  receive(bytes: number): void {
    if (!this.isResponding) return;
    const gone = this.received;
    this.received = bytes;
    this.charge(this.hasLength ? -gone : bytes - gone);
  }

  endWork(): void {
    if (this.state !== 'working') return;
    this.state = 'sending';
    this.limits.endWork(this);
  }

  end(): void {
    if (this.state === 'waiting') this.limits.leaveQueue(this);
    this.endWork();
    if (this.isResponding) this.limits.endResponse(this, this.charged);
    this.isResponding = false;
    this.leave('ended');
  }

  private charge(change: number): void {
    this.charged += change;
    this.limits.moveBytes(this, change);
  }

  private leave(state: 'working' | 'ended'): void {
    this.state = state;
    this.left?.();
    this.left = undefined;
  }
}
