import type { RequestHandler, Response } from 'express';
import { counter, gauge, type Registry } from '@antelope-history/service';
import { clientOf } from '../client';
import type { Ticket } from './ticket';
import { type LimitReason, WorkLimits, type WorkLimitSettings } from './work-limits';

const REASONS: LimitReason[] = ['queue', 'wait', 'stalled'];

/** Lets a request, whose body is there, go on when `WorkLimits` has room for it; 503 with `Retry-After` when not in time. */
export function createWorkLimiter(settings: WorkLimitSettings, registry: Registry): RequestHandler {
  const limits = new WorkLimits(settings, countLimits(registry));
  showLimits(limits, registry);
  return (_request, response, next) => {
    // A client that left while its body was read is owed nothing.
    if (response.closed) return;
    const ticket = limits.request(clientOf(response).id, {
      // Called before `request` returns, or later: the handlers after this one need the ticket.
      start: () => queueMicrotask(next),
      refuse: next,
      breakOff: () => response.destroy(),
    });
    response.locals['ticket'] = ticket;
    response.once('close', () => ticket.end());
  };
}

/** The hold of a request that `createWorkLimiter` let go on. */
export function ticketOf(response: Response): Ticket {
  return response.locals['ticket'] as Ticket;
}

function countLimits(registry: Registry): (reason: LimitReason) => void {
  const limited = counter(registry, {
    name: 'history_gateway_requests_refused_total',
    help: 'Requests that were refused because too many wait or because they waited too long, and responses that were broken off because they stood still',
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
  show('history_gateway_requests_working', 'Requests that an upstream works on', () => limits.working.total);
  show('history_gateway_requests_waiting', 'Requests that wait to be worked on', () => limits.waitingCount);
  show(
    'history_gateway_response_bytes',
    'Bytes of responses that clients have not read',
    () => limits.responseBytes.total,
  );
}
