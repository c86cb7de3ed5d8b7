import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { hostOf } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import { LineLimit, type Logger, requestIdOf, sendError } from '@antelope-history/app-runtime';
import { ticketOf } from './limits/limit-work';
import { type Attempt, FaultFound, UpstreamAttempts } from './upstream-attempts';
import { createUpstreamAgent } from './upstream-agent';
import { CHECK_EVERY_MS } from './upstream-checks';
import { UpstreamRequest } from './upstream-request';
import { limitUpstreamTime } from './upstream-deadline';
import { isFinalResponse, isServerError, sendApiResponse, sendNodeResponse } from './upstream-response';
import { logUnavailable, type UpstreamSet } from './upstream-set';

/**
 * The time for a whole response. Longer than an API waits for a request's body, so that the API's own error response comes first.
 */
const RESPONSE_LIMIT_MS = 35_000;

/** Creates a handler that sends requests to an upstream, with the path and query that `target` returns. */
export type UpstreamProxy = (target: (request: Request) => string) => RequestHandler;

/**
 * Sends requests, read by `readRawBody` and admitted by `createWorkLimiter`, to interchangeable APIs in turn, and streams their
 * responses back. Responds 503 when no server can be reached, or when the chosen one does not respond; that one is then skipped
 * for some seconds (`Upstreams`). When the client disconnects, the request to the upstream is aborted.
 *
 * A request whose connection ends before the response is sent once more, on a new connection: a server that stops may have closed a
 * kept one before it got the request, and of several servers, another one can respond in the place of one that was killed. So is a
 * request whose API a check finds a fault in before the response begins: an API that hangs would hold it, and the client's limits, for
 * the whole time. It is repeated again while there are further APIs, because the next one may hang, too. All requests of an API only read.
 */
export function createApiProxy(set: UpstreamSet, log: Logger): UpstreamProxy {
  return createProxyTo(set, log, { send: sendApiResponse, repeats: true });
}

/**
 * Sends requests to chain nodes as `createApiProxy` does, but none twice: a node that may have received a request may have pushed
 * a transaction.
 */
export function createNodeProxy(set: UpstreamSet, log: Logger): UpstreamProxy {
  return createProxyTo(set, log, { send: sendNodeResponse, repeats: false });
}

interface ProxyOptions {
  /** Sends a final response to the client. */
  send: typeof sendApiResponse;
  /** Whether a request may be sent once more. */
  repeats: boolean;
}

/** What ends an attempt that gets no response from the upstream. */
type Fail = (error: Error, attempt: Attempt, response: Response) => void;

function createProxyTo(set: UpstreamSet, log: Logger, options: ProxyOptions): UpstreamProxy {
  const { upstreams, checks } = set;
  const { urls } = upstreams;
  // Parsed once: http-proxy would parse the URL for each request.
  const targets = new Map(urls.map((url) => [url, toTarget(url)]));
  const attempts = new UpstreamAttempts(() => void checks.ready(), CHECK_EVERY_MS);
  checks.onFault((url) => attempts.cutOff(url));
  const plugins = [handleUpstream(set, attempts, options.send, createFail(set, log))];
  const createProxy = (keepAlive: boolean) =>
    createProxyMiddleware<UpstreamRequest, Response>({
      target: urls[0],
      router: (request) => {
        const url = upstreams.next();
        request.attempt.url = url;
        return targets.get(url);
      },
      changeOrigin: true,
      agent: createUpstreamAgent(upstreams, logUnavailable(set, log), keepAlive),
      // The path of the target is sent unchanged.
      toProxy: true,
      // http-proxy would forward hop-by-hop headers, and leave the client waiting when a response is aborted.
      selfHandleResponse: true,
      // Replaces the library's plugins, which write their own logs and error responses.
      ejectPlugins: true,
      plugins,
    });
  const proxy = createProxy(true);
  const proxyOnNewConnection = createProxy(false);
  return (target) => async (request, response, next) => {
    await checks.ready();
    const endsAt = performance.now() + RESPONSE_LIMIT_MS;
    const send = (through: typeof proxy, repeats: number): void => {
      if (response.closed) return;
      const repeat = repeats > 0 ? () => send(proxyOnNewConnection, repeats - 1) : undefined;
      const attempt = { endsAt, repeat, isFirst: through === proxy };
      void through(new UpstreamRequest(request, target(request), attempt), response, next);
    };
    send(proxy, options.repeats ? Math.max(1, urls.length - 1) : 0);
  };
}

function createFail({ name, upstreams }: UpstreamSet, log: Logger): Fail {
  const lines = new LineLimit(log);
  return (error, attempt, response) => {
    if (response.closed) return;
    const { repeat, url, sent } = attempt;
    if (response.headersSent || attempt.hasBegun) {
      response.destroy();
      return;
    }
    if (repeat && (error instanceof FaultFound || (sent?.reusedSocket && isConnectionEnd(error)))) {
      repeat();
      return;
    }
    if (url !== undefined) upstreams.setUnavailable(url);
    const entry = { requestId: requestIdOf(response), upstream: name, url, error };
    if (repeat && isLeft(attempt, error) && upstreams.urls.length > 1) {
      lines.write('warn', `left ${url}`, entry, 'an upstream left a request without a response; trying another');
      repeat();
      return;
    }
    // Without a connection, all of them were tried.
    if (sent) lines.write('warn', `silent ${url}`, entry, 'no response from upstream');
    else lines.write('warn', 'unreachable', { ...entry, url: undefined }, 'no upstream can be reached');
    sendError(response, new HistoryError('UNAVAILABLE', `${name} does not respond`, { cause: error }));
  };
}

/** Only once: a request that ends its API must not end all of them. */
function isLeft({ isFirst, sent }: Attempt, error: Error): boolean {
  return isFirst && sent !== undefined && isConnectionEnd(error);
}

function isConnectionEnd(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** The plugin for what happens to a request that was sent. */
function handleUpstream(
  { checks }: UpstreamSet,
  attempts: UpstreamAttempts,
  send: ProxyOptions['send'],
  fail: Fail,
): Plugin<UpstreamRequest, Response> {
  return (server) => {
    server.on('proxyReq', (sent, { attempt }, response) => {
      attempts.beginWait(attempt, sent);
      limitUpstreamTime(sent, attempt.endsAt - performance.now());
      sent.once('upgrade', (_received, socket) => {
        socket.destroy();
        fail(new Error('the upstream switched to another protocol'), attempt, response);
      });
    });
    server.on('proxyRes', (received, { attempt }, response) => {
      attempts.endWait(attempt);
      if (isFinalResponse(received)) {
        attempt.hasBegun = true;
        const { url } = attempt;
        if (url !== undefined && !isServerError(received)) checks.noteResponse(url);
        send(received, response, ticketOf(response));
        return;
      }
      received.destroy();
      fail(new Error(`the upstream responded with status ${received.statusCode}`), attempt, response);
    });
    server.on('error', (error, { attempt }, response) => {
      if ('locals' in response) fail(error, attempt, response);
    });
  };
}

function toTarget(url: string) {
  const parsed = new URL(url);
  const { protocol, host, port, pathname } = parsed;
  return { protocol, host, hostname: hostOf(parsed), port, path: pathname };
}
