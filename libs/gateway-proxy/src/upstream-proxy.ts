import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { HistoryError } from '@antelope-history/schemas';
import { type Logger, requestIdOf, sendError } from '@antelope-history/service';

/** Longer than an app waits for a request's body, so that its own answer comes first. */
const ANSWER_LIMIT_MS = 35_000;
/** Shorter than an app keeps idle connections, so that a request never goes into a closing one. */
const IDLE_LIMIT_MS = 60_000;
const MAX_SOCKETS = 512;

/** Pipes requests to another HTTP server and its answers back; 503 when it does not answer. */
export function createUpstreamProxy(name: string, url: string, log: Logger): RequestHandler {
  const agentOptions = { keepAlive: true, timeout: IDLE_LIMIT_MS, maxSockets: MAX_SOCKETS };
  return createProxyMiddleware<Request, Response>({
    target: url,
    changeOrigin: true,
    agent: url.startsWith('https:') ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
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
