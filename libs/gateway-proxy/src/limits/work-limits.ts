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

/** A client may take this part of the places to wait. */
const CLIENTS_PART = 4;
/** A request that waits longer is refused: clients give up, and others need its place. */
export const LONGEST_WAIT_MS = 15_000;
/** Responses that no byte left for so long stand still. */
const STALL_MS = 2_000;
const STALLS_CHECKED_EVERY_MS = 1_000;

export type LimitReason = 'queue' | 'wait' | 'stalled';

/**
 * What clients hold of the gateway and of the upstreams: requests that an upstream works on, requests that wait, and bytes
 * of responses that were not read yet. Requests wait while a bound is reached, each client in its turn, and are refused
 * when too many wait. Above the bound of bytes in all, the response that stands still for longest is broken off.
 */
export class WorkLimits implements TicketCounts {
  readonly working = new ClientSums();
  readonly responseBytes = new ClientSums();
  private readonly waiting: FairQueue<TicketOfLimits>;
  /** Those whose bytes moved longest ago come first. */
  private readonly responding = new Set<TicketOfLimits>();
  private stallCheck: NodeJS.Timeout | undefined;

  /** `now`: milliseconds of any clock. `onLimit`: counts what was refused or broken off. */
  constructor(
    private readonly settings: WorkLimitSettings,
    private readonly onLimit: (reason: LimitReason) => void,
    private readonly now: () => number = () => performance.now(),
  ) {
    const { maxRequestsWaiting } = settings;
    this.waiting = new FairQueue(maxRequestsWaiting, Math.ceil(maxRequestsWaiting / CLIENTS_PART));
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Asks for a client's request to be worked on. Handlers are called at once or later, `start` or `refuse` once. */
  request(client: string, handlers: TicketHandlers): Ticket {
    const ticket = new TicketOfLimits(this, client, handlers);
    if (!this.waiting.push(client, ticket)) this.refuse(ticket, 'queue');
    this.startWaiting();
    if (ticket.state === 'waiting') this.limitWait(ticket);
    return ticket;
  }

  /** Starts as many of the waiting requests as the bounds allow. */
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
    if (this.isAboveBytes()) this.breakOffStalled();
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

  /** Breaks off what stands still, as long as there is too much; looks again later for what will. */
  private breakOffStalled(): void {
    for (const ticket of this.responding) {
      if (!this.isAboveBytes() || this.now() - ticket.movedAt < STALL_MS) break;
      this.onLimit('stalled');
      ticket.breakOff();
    }
    if (this.isAboveBytes()) this.checkStallsLater();
    else this.startWaiting();
  }

  private checkStallsLater(): void {
    if (this.stallCheck) return;
    this.stallCheck = setTimeout(() => {
      this.stallCheck = undefined;
      this.breakOffStalled();
    }, STALLS_CHECKED_EVERY_MS);
    this.stallCheck.unref();
  }
}
