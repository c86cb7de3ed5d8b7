import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { HistoryError } from '@antelope-history/schemas';
import { type Logger, requestIdOf, sendError } from '@antelope-history/service';
import { ticketOf } from './limits/limit-work';
import { createUpstreamAgent } from './upstream-agent';
import { UpstreamRequest } from './upstream-request';
import { sendUpstreamResponse } from './upstream-response';
import { Upstreams } from './upstreams';

/** Longer than an app waits for a request's body, so that its own response comes first. */
const RESPONSE_LIMIT_MS = 35_000;

/** Makes a handler that sends requests to an upstream, with the path and query that `target` gives. */
export type UpstreamProxy = (target: (request: Request) => string) => RequestHandler;

/**
 * Sends requests that were read by `readRawBody` and admitted by `limitWork` to HTTP servers of which any may respond, each in its turn, and
 * their responses back; 503 when none can be reached or the one that took the request does not respond. A client that
 * leaves ends the request to the upstream.
 */
export function createUpstreamProxy(name: string, urls: string[], log: Logger, now: () => number): UpstreamProxy {
  const upstreams = new Upstreams(urls, now);
  const agent = createUpstreamAgent(upstreams, (url, error) => {
    if (urls.length > 1) log.warn({ upstream: name, url, error }, 'an upstream can not be reached; asking another');
  });
  const sendUnavailable = (response: Response, error: Error): void => {
    log.warn({ requestId: requestIdOf(response), upstream: name, error }, 'no response from upstream');
    sendError(response, new HistoryError('UNAVAILABLE', `${name} does not respond`, { cause: error }));
  };
  // http-proxy would parse a URL with each request.
  const targets = new Map(urls.map((url) => [url, toTarget(url)]));
  const proxy = createProxyMiddleware<IncomingMessage, Response>({
    target: urls[0],
    router: () => targets.get(upstreams.next()),
    changeOrigin: true,
    agent,
    proxyTimeout: RESPONSE_LIMIT_MS,
    // Sends the target as it is.
    toProxy: true,
    // http-proxy would pass on headers of the connection, and leave the client waiting when a response breaks off.
    selfHandleResponse: true,
    // In place of the library's plugins, which write logs and error responses of their own.
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on('proxyRes', (upstreamResponse, _request, response) =>
          sendUpstreamResponse(upstreamResponse, response, ticketOf(response)),
        );
        server.on('error', (error, _request, response) => {
          if ('locals' in response && !response.closed) sendUnavailable(response, error);
        });
      },
    ],
  });
  return (target) => (request, response, next) => {
    if (response.closed) return;
    const upstreamRequest = new UpstreamRequest(request, target(request));
    response.once('close', () => upstreamRequest.abandon());
    void proxy(upstreamRequest, response, next);
  };
}

function toTarget(url: string) {
  const { protocol, host, hostname, port, pathname } = new URL(url);
  return { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname };
}
