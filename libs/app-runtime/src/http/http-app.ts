import express, { type Express, type RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';
import type { Logger } from '../logger';
import { createHttpMetrics, type Registry } from '../metrics';
import { handleErrors } from './error-response';
import { enterRoute, openRequestContext } from './request-context';

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
  /** Runs before the routes, for every request. */
  middleware?: RequestHandler[];
  log: Logger;
  registry: Registry;
  /** What the 404 of a path says, if there is more to say than that the path does not exist. */
  describeUnknown?: (path: string) => string | undefined;
}

/**
 * An Express app with the behaviour that all apps share: request ids, 405 with `Allow`, 404, error bodies in the shape of
 * nodeos, metrics. A path with a trailing slash is the same path.
 */
export function createHttpApp(options: HttpAppOptions): Express {
  const { name, routes, middleware = [], log, registry, describeUnknown } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('case sensitive routing');
  const metrics = createHttpMetrics(
    registry,
    name,
    routes.map(({ path }) => path),
  );
  app.use(openRequestContext(log, metrics), requireHost, ...middleware);
  for (const route of routes) mountRoute(app, route);
  app.use(({ path }) => {
    throw new HistoryError('UNKNOWN_PATH', describeUnknown?.(path) ?? 'this path does not exist');
  });
  app.use(handleErrors(log));
  return app;
}

/** HTTP/1.1 requires a Host header (RFC 9112, 3.2). */
const requireHost: RequestHandler = ({ httpVersion, headers }, _response, next) => {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new HistoryError('INVALID_REQUEST', 'send a Host header');
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
