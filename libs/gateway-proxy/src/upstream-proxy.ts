import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { hostOf } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import { type Logger, requestIdOf, sendError } from '@antelope-history/app-runtime';
import { ChainNodes } from './chain-nodes';
import { ticketOf } from './limits/limit-work';
import { createUpstreamAgent } from './upstream-agent';
import { UpstreamRequest } from './upstream-request';
import { limitUpstreamTime } from './upstream-deadline';
import { isFinalResponse, sendApiResponse, sendNodeResponse } from './upstream-response';
import { Upstreams } from './upstreams';

/**
 * The time for a whole response. Longer than an API waits for a request's body, so that the API's own error response comes first.
 */
const RESPONSE_LIMIT_MS = 35_000;

/** Creates a handler that sends requests to an upstream, with the path and query that `target` returns. */
export type UpstreamProxy = (target: (request: Request) => string) => RequestHandler;

/**
 * Sends requests, read by `readRawBody` and admitted by `createWorkLimiter`, to interchangeable HTTP servers in turn, and streams
 * their responses back. Responds 503 when no server can be reached, or when the chosen one does not respond. When the client
 * disconnects, the request to the upstream is aborted.
 */
export function createUpstreamProxy(name: string, urls: string[], log: Logger, now: () => number): UpstreamProxy {
  return createProxyTo(name, new Upstreams(urls, now), log, { send: sendApiResponse });
}

/**
 * Sends requests to chain nodes as `createUpstreamProxy` does, except to those that `ChainNodes` skips. A node that does not
 * respond is skipped for some seconds (`Upstreams`). A request that may have reached a node is not sent to another one, because
 * it may have pushed a transaction.
 */
export function createNodeProxy(
  urls: string[],
  chainId: string | undefined,
  log: Logger,
  now: () => number,
): UpstreamProxy {
  const upstreams = new Upstreams(urls, now);
  const nodes = new ChainNodes(upstreams, chainId, log, now);
  const proxyTo = createProxyTo('chain-node', upstreams, log, {
    send: sendNodeResponse,
    onFailure: (url) => upstreams.setUnavailable(url),
  });
  return (target) => {
    const proxy = proxyTo(target);
    return async (request, response, next) => {
      await nodes.ready();
      await proxy(request, response, next);
    };
  };
}

interface ProxyOptions {
  /** Sends a final response to the client. */
  send: typeof sendApiResponse;
  /** Called with the URL of an upstream that did not respond to a request. */
  onFailure?: (url: string) => void;
}

/** What ends a request that gets no response from the upstream. */
type Fail = (error: Error, request: IncomingMessage, response: Response) => void;

function createProxyTo(name: string, upstreams: Upstreams, log: Logger, options: ProxyOptions): UpstreamProxy {
  const { urls } = upstreams;
  // Parsed once: http-proxy would parse the URL for each request.
  const targets = new Map(urls.map((url) => [url, toTarget(url)]));
  const chosen = new WeakMap<object, string>();
  const fail = createFail(name, log, (request) => {
    const url = chosen.get(request);
    if (url !== undefined) options.onFailure?.(url);
  });
  const proxy = createProxyMiddleware<IncomingMessage, Response>({
    target: urls[0],
    router: (request) => {
      const url = upstreams.next();
      chosen.set(request, url);
      return targets.get(url);
    },
    changeOrigin: true,
    agent: createUpstreamAgent(upstreams, (url, error) => {
      if (urls.length > 1) log.warn({ upstream: name, url, error }, 'an upstream cannot be reached; trying another');
    }),
    // The path of the target is sent unchanged.
    toProxy: true,
    // http-proxy would forward hop-by-hop headers, and leave the client waiting when a response is aborted.
    selfHandleResponse: true,
    // Replaces the library's plugins, which write their own logs and error responses.
    ejectPlugins: true,
    plugins: [handleUpstream(options.send, fail)],
  });
  return (target) => (request, response, next) => {
    if (response.closed) return;
    void proxy(new UpstreamRequest(request, target(request)), response, next);
  };
}

/** `onFailure`: called for a request to which the upstream did not respond. */
function createFail(name: string, log: Logger, onFailure: (request: IncomingMessage) => void): Fail {
  return (error, request, response) => {
    if (response.closed) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    onFailure(request);
    log.warn({ requestId: requestIdOf(response), upstream: name, error }, 'no response from upstream');
    sendError(response, new HistoryError('UNAVAILABLE', `${name} does not respond`, { cause: error }));
  };
}

/** The plugin for what happens to a request that was sent. */
function handleUpstream(send: ProxyOptions['send'], fail: Fail): Plugin<IncomingMessage, Response> {
  return (server) => {
    server.on('proxyReq', (sent, request, response) => {
      limitUpstreamTime(sent, RESPONSE_LIMIT_MS);
      sent.once('upgrade', (_received, socket) => {
        socket.destroy();
        fail(new Error('the upstream switched to another protocol'), request, response);
      });
    });
    server.on('proxyRes', (received, request, response) => {
      if (isFinalResponse(received)) return send(received, response, ticketOf(response));
      received.destroy();
      fail(new Error(`the upstream responded with status ${received.statusCode}`), request, response);
    });
    server.on('error', (error, request, response) => {
      if ('locals' in response) fail(error, request, response);
    });
  };
}

function toTarget(url: string) {
  const parsed = new URL(url);
  const { protocol, host, port, pathname } = parsed;
  return { protocol, host, hostname: hostOf(parsed), port, path: pathname };
}
