import type { RequestHandler, Response } from 'express';
import { counter, gauge, type Registry } from '@antelope-history/app-runtime';
import { clientOf } from '../client';
import type { Ticket } from './ticket';
import { type LimitReason, WorkLimits, type WorkLimitSettings } from './work-limits';

const REASONS: LimitReason[] = ['queue', 'wait', 'stalled'];

/**
 * Creates limiters that are independent of each other, so that requests to one upstream do not wait for those to another. `share`: the
 * part of the limits on memory that a limiter gets; the shares of all limiters are at most 1 together. The metrics show the sums
 * over all limiters.
 */
export function workLimiters(settings: WorkLimitSettings, registry: Registry): (share: number) => RequestHandler {
  const count = countLimits(registry);
  const all: WorkLimits[] = [];
  showLimits(all, registry);
  return (share) => {
    const limits = new WorkLimits(shareOf(settings, share), count);
    all.push(limits);
    return createWorkLimiter(limits);
  };
}

function shareOf(settings: WorkLimitSettings, share: number): WorkLimitSettings {
  const part = (whole: number): number => Math.ceil(whole * share);
  return {
    ...settings,
    maxRequestsWaiting: part(settings.maxRequestsWaiting),
    maxResponseBytesInFlight: part(settings.maxResponseBytesInFlight),
  };
}

/** Middleware after the body has been read: calls `next` when `WorkLimits` admits the request; otherwise 503 `BUSY`. */
function createWorkLimiter(limits: WorkLimits): RequestHandler {
  return (_request, response, next) => {
    // The client disconnected while its body was read.
    if (response.closed) return;
    const ticket = limits.request(clientOf(response).id, {
      // `start` can be called before `request` returns, and later handlers need the ticket: hence the microtask.
      start: () => queueMicrotask(next),
      refuse: next,
      abort: () => response.destroy(),
    });
    response.locals['ticket'] = ticket;
    response.once('close', () => ticket.end());
  };
}

/** The ticket of a request that `createWorkLimiter` admitted. */
export function ticketOf(response: Response): Ticket {
  return response.locals['ticket'] as Ticket;
}

function countLimits(registry: Registry): (reason: LimitReason) => void {
  const limited = counter(registry, {
    name: 'history_gateway_requests_refused_total',
    help: 'Requests refused because the queue was full (queue) or the wait too long (wait), and responses aborted because they stalled (stalled)',
    labelNames: ['reason'],
  });
  for (const reason of REASONS) limited.inc({ reason }, 0);
  return (reason) => limited.inc({ reason });
}

function showLimits(all: readonly WorkLimits[], registry: Registry): void {
  const show = (name: string, help: string, read: (limits: WorkLimits) => number): void => {
    gauge(registry, {
      name,
      help,
      collect() {
        this.set(all.reduce((sum, limits) => sum + read(limits), 0));
      },
    });
  };
  show('history_gateway_requests_working', 'Requests in progress at an upstream', ({ working }) => working.total);
  show('history_gateway_requests_waiting', 'Requests in the queue for an upstream', (limits) => limits.waitingCount);
  show(
    'history_gateway_response_bytes',
    'Response bytes that the gateway holds because clients have not read them',
    ({ responseBytes }) => responseBytes.total,
  );
}
