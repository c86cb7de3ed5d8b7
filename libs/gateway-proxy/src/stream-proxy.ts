import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { STREAM } from '@antelope-history/routes';
import { HistoryError } from '@antelope-history/schemas';
import {
  clientSignal,
  countBegun,
  isWebSocketHandshake,
  type Logger,
  REPORT_COST_HEADER,
  requestIdOf,
  stopSignal,
  streamChargeOf,
} from '@antelope-history/app-runtime';
import { readEventCosts, readFrameCosts, type StreamReader } from './stream-costs';
import { createUpstreamAgent } from './upstream-agent';
import { queryOf } from './upstream-request';
import { logUnavailable, type UpstreamSet } from './upstream-set';
import { joinWebSockets, SILENCE_LIMIT_MS, type UpstreamWebSocket } from './web-socket-proxy';

/** Time for the API to open a stream. */
const OPEN_LIMIT_MS = 10_000;
const STREAM_HEADERS = ['last-event-id', REPORT_COST_HEADER];
const HANDSHAKE_HEADERS = [...STREAM_HEADERS, 'sec-websocket-version', 'sec-websocket-key', 'sec-websocket-protocol'];
const SWITCHING_PROTOCOLS = 101;
const FORWARDED_HEADERS = ['content-type', 'content-length', 'cache-control', 'x-accel-buffering', 'retry-after'];

/**
 * Forwards requests for the stream of actions to one of several history APIs, and forwards the events as they arrive. When the
 * API fails, the client opens the stream again and continues after its last event with another API.
 */
export function createStreamProxy(set: UpstreamSet, log: Logger): RequestHandler {
  const { upstreams, checks } = set;
  const agent = createUpstreamAgent(upstreams, logUnavailable(set, log));
  const openUpstream = (request: Request, headers: OutgoingHttpHeaders): ClientRequest => {
    const url = new URL(upstreams.next().replace(/\/+$/, '') + STREAM.path + queryOf(request));
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    return send(url, { agent, method, headers });
  };
  return async (request, response) => {
    const [left, stop] = [clientSignal(response), stopSignal(response)];
    const isHandshake = isWebSocketHandshake(request);
    const headers = headersFor(request, requestIdOf(response), isHandshake ? HANDSHAKE_HEADERS : STREAM_HEADERS);
    const charge = streamChargeOf(response);
    await checks.ready();
    left.throwIfAborted();
    if (charge) headers[REPORT_COST_HEADER] = '1';
    const sent = openUpstream(
      request,
      isHandshake ? { ...headers, connection: 'Upgrade', upgrade: 'websocket' } : headers,
    );
    left.addEventListener('abort', () => sent.destroy());
    const reply = await replyTo(sent).catch((error: unknown) => {
      // The API did not fail: its request ended with the client.
      throw left.aborted ? left.reason : error;
    });
    if ('socket' in reply) {
      response.statusCode = SWITCHING_PROTOCOLS;
      countBegun(response);
      await joinWebSockets(request, reply, AbortSignal.any([left, stop]), charge && readFrameCosts(charge));
    } else {
      const end = (): void => void response.end();
      const forwarded = forwardResponse(reply.response, response, charge && readEventCosts(charge));
      // The gateway may have stopped while the API opened the stream.
      if (stop.aborted) end();
      stop.addEventListener('abort', end);
      // The signal outlives the stream, and would keep its request and response.
      await forwarded.finally(() => stop.removeEventListener('abort', end));
    }
    sent.destroy();
  };
}

/** `watch` gets the bytes of the events. */
async function forwardResponse(received: IncomingMessage, response: Response, watch?: StreamReader): Promise<void> {
  response.status(received.statusCode ?? 502);
  for (const name of FORWARDED_HEADERS) {
    const value = received.headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
  response.flushHeaders();
  countBegun(response);
  if (watch) received.on('data', watch);
  // When the API fails, the connection to the client is cut, possibly in the middle of an event. The client then opens the stream
  // again.
  await pipeline(received, response).catch(() => undefined);
}

type UpstreamReply = UpstreamWebSocket | { response: IncomingMessage };

/** Rejects with `UNAVAILABLE` when no API responds in time. */
function replyTo(sent: ClientRequest): Promise<UpstreamReply> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: Error): void => {
      clearTimeout(limit);
      sent.destroy();
      reject(new HistoryError('UNAVAILABLE', 'history-api does not respond', { cause }));
    };
    const limit = setTimeout(fail, OPEN_LIMIT_MS);
    const succeed = (reply: UpstreamReply): void => {
      clearTimeout(limit);
      resolve(reply);
    };
    sent.setTimeout(SILENCE_LIMIT_MS, () => sent.destroy());
    sent.on('error', fail);
    sent.on('response', (received) => succeed({ response: received }));
    sent.on('upgrade', (handshake, socket, head) => succeed({ handshake, socket, head }));
    sent.end();
  });
}

function headersFor(request: Request, requestId: string, names: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  for (const name of names) {
    const value = request.get(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
