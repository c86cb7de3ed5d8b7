import type { RequestHandler, Response } from 'express';
import { counter, gauge, type Registry } from '@antelope-history/app-runtime';
import { clientOf } from '../client';
import type { Ticket } from './ticket';
import { type LimitReason, WorkLimits, type WorkLimitSettings } from './work-limits';

const REASONS: LimitReason[] = ['queue', 'wait', 'stalled'];

/** Middleware after the body has been read: calls `next` when `WorkLimits` admits the request; otherwise 503 `BUSY`. */
export function createWorkLimiter(settings: WorkLimitSettings, registry: Registry): RequestHandler {
  const limits = new WorkLimits(settings, countLimits(registry));
  showLimits(limits, registry);
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

function showLimits(limits: WorkLimits, registry: Registry): void {
  const show = (name: string, help: string, read: () => number): void => {
    gauge(registry, {
      name,
      help,
      collect() {
        this.set(read());
      },
    });
  };
  show('history_gateway_requests_working', 'Requests in progress at an upstream', () => limits.working.total);
  show('history_gateway_requests_waiting', 'Requests in the queue for an upstream', () => limits.waitingCount);
  show(
    'history_gateway_response_bytes',
    'Response bytes that the gateway holds because clients have not read them',
    () => limits.responseBytes.total,
  );
}
