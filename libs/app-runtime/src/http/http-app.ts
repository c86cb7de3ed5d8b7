import express, { type Express, type RequestHandler } from 'express';
import type { RequestListener } from 'node:http';
import { HistoryError } from '@antelope-history/schemas';
import type { Logger } from '../logger';
import { createHttpMetrics, type Registry } from '../metrics';
import { handleErrors } from './error-response';
import { createMessageClasses, enterExpress, type MessageClasses } from './express-messages';
import { enterRoute, openRequestContext } from './request-context';
import { runHandlers } from './run-handlers';

export type HttpMethod = 'GET' | 'POST';

export interface HttpRoute {
  /** The `method` field of error bodies. */
  endpoint: string;
  path: string;
  /** Other methods receive 405; GET includes HEAD. */
  method: HttpMethod | readonly HttpMethod[];
  handlers: RequestHandler[];
}

export interface HttpAppOptions {
  /** The label `app` in metrics. */
  name: string;
  routes: HttpRoute[];
  /** Runs first, also for requests that are refused for their form: their URL may be no path. */
  observe?: RequestHandler[];
  /** Called for what is refused before it is a request that the app gets. */
  observeRefusal?: ObserveRefusal;
  /** Runs before the routes, for every request of the right form. */
  middleware?: RequestHandler[];
  log: Logger;
  registry: Registry;
  /** What the 404 of a path says, if there is more to say than that the path does not exist. */
  describeUnknown?: (path: string) => string | undefined;
}

/** What `createHttpApp` returns: a listener, and the classes of messages for a server that uses it. */
export interface HttpApp extends RequestListener {
  readonly messages: MessageClasses;
  readonly observeRefusal: ObserveRefusal | undefined;
}

/** Gets the address of a client whose bytes are no HTTP request, or come too late, and the status of the refusal. */
export type ObserveRefusal = (address: string, status: number) => void;

/**
 * An HTTP app with the behaviour that all apps share: request ids, 405 with `Allow`, 404, error bodies in the shape of
 * nodeos, metrics. A path with a trailing slash is the same path.
 *
 * Requests that name a route exactly run its handlers without Express's router, which compares a path with the expression of
 * every handler and route before: a third of the processor time of a small response. Express gets all others.
 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { name, routes, observe = [], middleware = [], log, registry } = options;
  const metrics = createHttpMetrics(
    registry,
    name,
    routes.map(({ path }) => path),
  );
  const first = [openRequestContext(log, metrics), ...observe, requireHost, requireTarget, ...middleware];
  const app = createRoutingApp(options);
  const exact = exactRoutes(routes);
  const fail = handleErrors(log);
  const respond: RequestListener = (incoming, outgoing) => {
    const { request, response } = enterExpress(app, incoming, outgoing);
    const end = (error?: unknown): void => {
      if (error) void fail(error, request, response, () => undefined);
    };
    runHandlers(first, request, response, (error) => {
      if (error) return end(error);
      const handlers = exact.get(request.url)?.get(request.method);
      if (handlers) runHandlers(handlers, request, response, end);
      else app(request, response);
    });
  };
  return Object.assign(respond, { messages: createMessageClasses(app), observeRefusal: options.observeRefusal });
}

/** The app for all requests, after the middleware. */
function createRoutingApp({ routes, log, describeUnknown }: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('case sensitive routing');
  for (const route of routes) mountRoute(app, route);
  app.use(({ path }) => {
    throw new HistoryError('UNKNOWN_PATH', describeUnknown?.(path) ?? 'this path does not exist');
  });
  app.use(handleErrors(log));
  return app;
}

/** The handlers of routes whose path is constant, by path and method. */
function exactRoutes(routes: readonly HttpRoute[]): ReadonlyMap<string, ReadonlyMap<string, RequestHandler[]>> {
  const constant = routes.filter(({ path }) => CONSTANT_PATH.test(path));
  return new Map(
    constant.map(({ endpoint, path, method, handlers }) => [
      path,
      new Map([method].flat().map((accepted) => [accepted, [enterRoute(endpoint, path), ...handlers]])),
    ]),
  );
}

/** Without parameters and wildcards. */
const CONSTANT_PATH = /^[\w/.-]+$/;

/**
 * HTTP/1.1 requires a Host header, and no version allows two, or an invalid one (RFC 9112, 3.2): a proxy before the gateway might route
 * by the other one than node:http, which keeps the first, or by another part of it.
 */
const requireHost: RequestHandler = ({ httpVersion, headers, rawHeaders }, _response, next) => {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new HistoryError('INVALID_REQUEST', 'send a Host header');
  if (countHosts(rawHeaders) > 1) throw new HistoryError('INVALID_REQUEST', 'send one Host header');
  if (headers.host !== undefined && !HOST.test(headers.host))
    throw new HistoryError('INVALID_REQUEST', 'send a Host header of a host and a port');
  next();
};

/** RFC 3986, 3.2.2: a name or address, or an address in brackets, and a port. Empty for a target without a host. */
const HOST = /^(?:\[[\w.:%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** `rawHeaders`: names and values in turns. `headersDistinct` of node:http would create an object of all headers for each request. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

const HTTP_URL = /^https?:\/\//i;

/**
 * The target is a path, or a URL for clients that take the service for their proxy (RFC 9112, 3.2), of which later handlers see the path
 * and the query. Node.js throws when it parses some others, whose requests would fail with 500 before the limits of clients.
 */
const requireTarget: RequestHandler = (request, _response, next) => {
  const { url } = request;
  if (!url.startsWith('/')) {
    if (!HTTP_URL.test(url) || !URL.canParse(url))
      throw new HistoryError('INVALID_REQUEST', 'send the path of an endpoint');
    const { pathname, search } = new URL(url);
    request.url = pathname + search;
  }
  next();
};

function mountRoute(app: Express, { endpoint, path, method, handlers }: HttpRoute): void {
  const route = app.route(path).all(enterRoute(endpoint, path));
  const methods = [method].flat();
  if (methods.includes('GET')) route.get(...handlers);
  if (methods.includes('POST')) route.post(...handlers);
  route.all(refuseMethod(methods.map((accepted) => (accepted === 'GET' ? 'GET, HEAD' : accepted)).join(', ')));
}

function refuseMethod(allowed: string): RequestHandler {
  return (_request, response) => {
    response.setHeader('allow', allowed);
    throw new HistoryError('METHOD_NOT_ALLOWED', `use ${allowed}`);
  };
}
