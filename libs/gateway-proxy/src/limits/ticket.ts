import type { HistoryError } from '@antelope-history/schemas';

export interface TicketHandlers {
  /** The request may go to its upstream. */
  start(): void;
  refuse(error: HistoryError): void;
  /** The client has to lose its response. */
  breakOff(): void;
}

/** What counts the tickets. */
export interface TicketCounts {
  leaveQueue(ticket: TicketOfLimits): void;
  /** The upstream has nothing more to do for it. */
  endWork(ticket: TicketOfLimits): void;
  /** Bytes of its response came or left. */
  moveBytes(ticket: TicketOfLimits, change: number): void;
  /** So many bytes are no longer held. */
  endResponse(ticket: TicketOfLimits, charged: number): void;
}

/** A request's hold on the gateway, from its arrival until its response is done. */
export interface Ticket {
  /** The upstream responds, with so many bytes of body; undefined where it does not say how many. */
  beginResponse(bytes: number | undefined): void;
  /** More of the body came; it comes only when what came before has left, or fits into the buffers of a connection. */
  receive(bytes: number): void;
  /** The upstream has responded to the end, or waits for the client. */
  endWork(): void;
  /** The response is done, or the client left. */
  end(): void;
}

/** What the buffers of both connections hold of a response, whatever its length. */
export const BUFFERED_BYTES = 64 * 1024;

/** The hold as `WorkLimits` counts it. */
export class TicketOfLimits implements Ticket {
  state: 'waiting' | 'working' | 'sending' | 'ended' = 'waiting';
  /** When bytes of the response last moved. */
  movedAt = 0;
  private charged = 0;
  private isResponding = false;
  private hasLength = false;
  /** What came and may not have left. */
  private received = 0;
  private left: (() => void) | undefined;

  constructor(
    private readonly limits: TicketCounts,
    readonly client: string,
    private readonly handlers: TicketHandlers,
  ) {}

  /** Calls back once when it waits no longer. */
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

  breakOff(): void {
    this.end();
    this.handlers.breakOff();
  }

  beginResponse(bytes: number | undefined): void {
    if (this.state !== 'working') return;
    this.isResponding = true;
    this.hasLength = bytes !== undefined;
    this.charge(BUFFERED_BYTES + (bytes ?? 0));
    // An upstream that knows the length has made the whole response.
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
