import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { STREAM } from '@antelope-history/routes';
import { HistoryError } from '@antelope-history/schemas';
import { clientSignal, type Logger, requestIdOf, stopSignal } from '@antelope-history/app-runtime';
import { createUpstreamAgent } from './upstream-agent';
import { Upstreams } from './upstreams';

/** Time for the API to open a stream. */
const OPEN_LIMIT_MS = 10_000;
/** The API writes at least every 15 s. */
const SILENCE_LIMIT_MS = 60_000;
const FORWARDED_HEADERS = ['content-type', 'content-length', 'cache-control', 'x-accel-buffering', 'retry-after'];

/**
 * Forwards requests for the stream of actions to one of several history APIs, and its events as they come. A client whose API
 * fails opens the stream again, and continues at its last event with another API.
 */
export function createStreamProxy(urls: string[], log: Logger, now: () => number): RequestHandler {
  const upstreams = new Upstreams(urls, now);
  const agent = createUpstreamAgent(upstreams, (url, error) => {
    if (urls.length > 1)
      log.warn({ upstream: 'history-api', url, error }, 'an upstream cannot be reached; trying another');
  });
  return async (request, response) => {
    const [left, stop] = [clientSignal(response), stopSignal(response)];
    const url = new URL(STREAM.path + queryOf(request), upstreams.next());
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const sent = send(url, { agent, method, headers: headersFor(request, requestIdOf(response)) });
    left.addEventListener('abort', () => sent.destroy());
    stop.addEventListener('abort', () => response.end());
    const received = await responseTo(sent);
    response.status(received.statusCode ?? 502);
    for (const name of FORWARDED_HEADERS) {
      const value = received.headers[name];
      if (value !== undefined) response.setHeader(name, value);
    }
    response.flushHeaders();
    // A stream that ends in the middle of an event is a cut connection to the client, which opens it again.
    await pipeline(received, response).catch(() => undefined);
    sent.destroy();
  };
}

/** Rejects with `UNAVAILABLE` when no API responds in time. */
async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  sent.setTimeout(SILENCE_LIMIT_MS, () => sent.destroy());
  sent.on('error', () => undefined);
  sent.end();
  try {
    const [received] = (await once(sent, 'response', { signal: AbortSignal.timeout(OPEN_LIMIT_MS) })) as [
      IncomingMessage,
    ];
    return received;
  } catch (cause) {
    sent.destroy();
    throw new HistoryError('UNAVAILABLE', 'history-api does not respond', { cause });
  }
}

function headersFor(request: Request, requestId: string): Record<string, string> {
  const cursor = request.get('last-event-id');
  return { 'x-request-id': requestId, ...(cursor !== undefined && { 'last-event-id': cursor }) };
}

/** The query string with its question mark; empty when there is none. */
function queryOf(request: Request): string {
  return new URL(request.url, 'http://gateway').search;
}
