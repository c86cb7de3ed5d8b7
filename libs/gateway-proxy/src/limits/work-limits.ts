import { HistoryError } from '@antelope-history/schemas';
import { ClientSums } from './client-sums';
import { FairQueue } from './fair-queue';
import { type Ticket, type TicketCounts, type TicketHandlers, TicketOfLimits } from './ticket';

export interface WorkLimitSettings {
  maxRequestsInFlight: number;
  maxRequestsPerClient: number;
  maxRequestsWaiting: number;
  maxResponseBytesInFlight: number;
  maxResponseBytesPerClient: number;
}

/** One client may fill at most 1/CLIENT_SHARE of the queue. */
const CLIENT_SHARE = 4;
/** A request that waits longer is refused: the client has probably given up, and the queue has a fixed length. */
export const LONGEST_WAIT_MS = 15_000;
/** A response is stalled when none of its bytes moved for this time. */
const STALL_MS = 2_000;
const STALL_CHECK_INTERVAL_MS = 1_000;

export type LimitReason = 'queue' | 'wait' | 'stalled';

/**
 * Bounds what clients hold of the gateway and of the upstreams: requests in progress at an upstream, requests in the queue,
 * and response bytes that clients have not read. A request is queued while a bound is reached; clients take turns
 * (`FairQueue`). A request is refused when the queue is full. While the total of response bytes is at its bound, the
 * response that has been stalled for the longest time is aborted.
 */
export class WorkLimits implements TicketCounts {
  readonly working = new ClientSums();
  readonly responseBytes = new ClientSums();
  private readonly waiting: FairQueue<TicketOfLimits>;
  /** Responses in progress, ordered by the time of the last byte, oldest first. */
  private readonly responding = new Set<TicketOfLimits>();
  private stallCheck: NodeJS.Timeout | undefined;

  /** `now`: milliseconds of a monotonic clock. `onLimit`: called for each refused request and each aborted response. */
  constructor(
    private readonly settings: WorkLimitSettings,
    private readonly onLimit: (reason: LimitReason) => void,
    private readonly now: () => number = () => performance.now(),
  ) {
    const { maxRequestsWaiting } = settings;
    this.waiting = new FairQueue(maxRequestsWaiting, Math.ceil(maxRequestsWaiting / CLIENT_SHARE));
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Admits or queues a client's request. Exactly one of `start` and `refuse` is called, before this returns or later. */
  request(client: string, handlers: TicketHandlers): Ticket {
    const ticket = new TicketOfLimits(this, client, handlers);
    if (!this.waiting.push(client, ticket)) this.refuse(ticket, 'queue');
    this.startWaiting();
    if (ticket.state === 'waiting') this.limitWait(ticket);
    return ticket;
  }

  /** Starts as many queued requests as the bounds allow. */
  startWaiting(): void {
    while (this.waiting.size > 0 && this.hasRoom()) {
      const ticket = this.waiting.shift((client) => this.hasRoomFor(client));
      if (!ticket) return;
      this.working.add(ticket.client, 1);
      ticket.start();
    }
  }

  leaveQueue(ticket: TicketOfLimits): void {
    this.waiting.remove(ticket.client, ticket);
  }

  endWork(ticket: TicketOfLimits): void {
    this.working.add(ticket.client, -1);
    this.startWaiting();
  }

  moveBytes(ticket: TicketOfLimits, change: number): void {
    ticket.movedAt = this.now();
    this.responding.delete(ticket);
    this.responding.add(ticket);
    this.responseBytes.add(ticket.client, change);
    if (this.isAboveBytes()) this.abortStalled();
    else if (change < 0) this.startWaiting();
  }

  endResponse(ticket: TicketOfLimits, charged: number): void {
    this.responding.delete(ticket);
    this.responseBytes.add(ticket.client, -charged);
    this.startWaiting();
  }

  private hasRoom(): boolean {
    return this.working.total < this.settings.maxRequestsInFlight && !this.isAboveBytes();
  }

  private hasRoomFor(client: string): boolean {
    const { maxRequestsPerClient, maxResponseBytesPerClient } = this.settings;
    return this.working.of(client) < maxRequestsPerClient && this.responseBytes.of(client) < maxResponseBytesPerClient;
  }

  private isAboveBytes(): boolean {
    return this.responseBytes.total >= this.settings.maxResponseBytesInFlight;
  }

  private limitWait(ticket: TicketOfLimits): void {
    const timer = setTimeout(() => {
      if (ticket.state !== 'waiting') return;
      this.leaveQueue(ticket);
      this.refuse(ticket, 'wait');
    }, LONGEST_WAIT_MS);
    timer.unref();
    ticket.onceLeft(() => clearTimeout(timer));
  }

  private refuse(ticket: TicketOfLimits, reason: LimitReason): void {
    this.onLimit(reason);
    ticket.refuse(new HistoryError('BUSY', 'send fewer requests at once'));
  }

  /** Aborts stalled responses until the total is below its bound; checks again later if none was stalled long enough. */
  private abortStalled(): void {
    for (const ticket of this.responding) {
      if (!this.isAboveBytes() || this.now() - ticket.movedAt < STALL_MS) break;
      this.onLimit('stalled');
      ticket.abort();
    }
    if (this.isAboveBytes()) this.checkStallsLater();
    else this.startWaiting();
  }

  private checkStallsLater(): void {
    if (this.stallCheck) return;
    this.stallCheck = setTimeout(() => {
      this.stallCheck = undefined;
      this.abortStalled();
    }, STALL_CHECK_INTERVAL_MS);
    this.stallCheck.unref();
  }
}
