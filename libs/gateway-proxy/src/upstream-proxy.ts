import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { HistoryError } from '@antelope-history/schemas';
import { type Logger, requestIdOf, sendError } from '@antelope-history/service';
import { createUpstreamAgent } from './upstream-agent';
import { Upstreams } from './upstreams';

/** Longer than an app waits for a request's body, so that its own answer comes first. */
const ANSWER_LIMIT_MS = 35_000;

/**
 * Pipes requests to HTTP servers of which any may answer, each in its turn, and their answers back; 503 when none can be
 * reached or the one that took the request does not answer.
 */
export function createUpstreamProxy(name: string, urls: string[], log: Logger, now: () => number): RequestHandler {
  const upstreams = new Upstreams(urls, now);
  const agent = createUpstreamAgent(upstreams, (url, error) => {
    if (urls.length > 1) log.warn({ upstream: name, url, error }, 'an upstream can not be reached; asking another');
  });
  return createProxyMiddleware<Request, Response>({
    target: urls[0],
    router: () => upstreams.next(),
    changeOrigin: true,
    agent,
    proxyTimeout: ANSWER_LIMIT_MS,
    on: {
      error: (error, _request, response) => {
        if (!('locals' in response)) return;
        log.warn({ requestId: requestIdOf(response), upstream: name, error }, 'no answer from upstream');
        sendError(response, new HistoryError('UNAVAILABLE', `${name} does not answer`, { cause: error }));
      },
      // http-proxy would leave the client waiting for the rest of an answer that broke off.
      proxyRes: (answer, _request, response) => void answer.on('error', () => response.destroy()),
    },
  });
}
