import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Logger } from '../logger';
import { type HttpMetrics, UNKNOWN_PATH } from '../metrics';

/** The state of a request in `response.locals`, set by the first middleware. */
interface RequestLocals {
  requestId: string;
  endpoint?: string;
  path?: string;
  /** Counts the request; without effect from the second call on. */
  count?: (() => void) | undefined;
}

/** Metrics, limits, compression and the stream of a long response each listen for the end; Node.js warns from the eleventh on. */
const MAX_LISTENERS = 20;

const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/**
 * Sets `x-request-id` on the request, for a proxy that forwards it, and on the response; keeps a valid id of the client. Counts
 * and times the request.
 */
export function openRequestContext(log: Logger, metrics: HttpMetrics): RequestHandler {
  return (request, response, next) => {
    const sent = request.get('x-request-id');
    const requestId = sent !== undefined && REQUEST_ID.test(sent) ? sent : randomUUID();
    request.headers['x-request-id'] = requestId;
    response.setHeader('x-request-id', requestId);
    // Prevents browsers from guessing another content type.
    response.setHeader('x-content-type-options', 'nosniff');
    response.setMaxListeners(MAX_LISTENERS);
    const startedAt = performance.now();
    metrics.started();
    const count = (): void => {
      const seconds = (performance.now() - startedAt) / 1000;
      const { path = UNKNOWN_PATH } = locals;
      const status = statusOf(response);
      locals.count = undefined;
      metrics.finished(path, status, seconds);
      log.debug({ requestId, method: request.method, path, status, seconds }, 'request');
    };
    const locals: RequestLocals = Object.assign(response.locals, { requestId, count });
    response.on('close', () => locals.count?.());
    next();
  };
}

/** Undefined when the client left before the response began. The status is 200 until another one is set, also if nothing is sent. */
function statusOf({ headersSent, statusCode }: Response): number | undefined {
  return headersSent || statusCode !== 200 ? statusCode : undefined;
}

/**
 * Counts the request of a response without an end that has begun. Its metric is that of open streams: among the requests in progress
 * and in their durations it would look like a service that does not respond.
 */
export function countBegun(response: Response): void {
  localsOf(response).count?.();
}

/** Records the route of a request. */
export function enterRoute(endpoint: string, path: string): RequestHandler {
  return (_request, response, next) => {
    Object.assign(response.locals, { endpoint, path });
    next();
  };
}

export function requestIdOf(response: Response): string {
  return localsOf(response).requestId;
}

/** Empty for unknown paths. */
export function endpointOf(response: Response): string {
  return localsOf(response).endpoint ?? '';
}

function localsOf(response: Response): RequestLocals {
  return response.locals as RequestLocals;
}
