import compression from 'compression';
import cors from 'cors';
import type { Express, RequestHandler } from 'express';
import { constants } from 'node:zlib';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError, ROUTES } from '@antelope-history/schemas';
import {
  type Config,
  createHttpApp,
  type HttpRoute,
  type Logger,
  operationsRoutes,
  type Registry,
} from '@antelope-history/service';
import { docsRoutes } from './docs-routes';
import { createGatewayHealth, type ReadComponent } from './gateway-health';
import { createRateLimit } from './rate-limit';
import { statusRoutes } from './status-page/status-routes';
import { createUpstreamProxy } from './upstream-proxy';

export interface GatewayDeps {
  config: Pick<Config, 'api' | 'gateway'>;
  /** Counts requests of all gateways together. */
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /** What /health shows besides the APIs and the key-value store. */
  components?: Record<string, ReadComponent>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

const EXPOSED_HEADERS = [
  'etag',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
];
const PREFLIGHT_SECONDS = 86_400;

/** The front of the service: rate limits, CORS and compression, and each path to the app that answers it. */
export function createGateway(deps: GatewayDeps): Express {
  const { log, registry, now = Date.now } = deps;
  const readHealth = createGatewayHealth(deps);
  const app = createHttpApp({
    name: 'gateway',
    log,
    registry,
    middleware: [
      cors({ exposedHeaders: EXPOSED_HEADERS, methods: ['GET', 'HEAD', 'POST'], maxAge: PREFLIGHT_SECONDS }),
      // Answers are made once and sent once: little effort per byte beats few bytes.
      compression({ level: constants.Z_BEST_SPEED }),
    ],
    routes: [
      ...upstreamRoutes(deps),
      ...operationsRoutes(readHealth, registry),
      ...docsRoutes(),
      ...statusRoutes(readHealth, now),
    ],
  });
  app.set('trust proxy', deps.config.gateway.trustedProxies);
  return app;
}

function upstreamRoutes(deps: GatewayDeps): HttpRoute[] {
  const { config, keyValue, log, registry, now = Date.now } = deps;
  const { historyApiUrl, chainApiUrl, traceApiUrl, chainNodeUrl } = config.gateway;
  const limitRate = createRateLimit({ keyValue, registry, requestsPerMinute: config.api.rateLimitRpm, now });
  const proxies = {
    history: createUpstreamProxy('history-api', historyApiUrl, log, now),
    chain: createUpstreamProxy('chain-api', chainApiUrl, log, now),
    trace: createUpstreamProxy('trace-api', traceApiUrl, log, now),
  };
  const routes = Object.values(ROUTES).map(({ endpoint, path, app }) => ({
    endpoint,
    path,
    // The app refuses other methods itself.
    method: undefined,
    handlers: [limitRate, proxies[app]],
  }));
  if (chainNodeUrl === undefined) return routes;
  const proxyToNode = createUpstreamProxy('chain-node', [chainNodeUrl], log, now);
  const nodeRoute = {
    endpoint: '',
    path: '/v1/chain/:call',
    method: undefined,
    handlers: [acceptCall, limitRate, proxyToNode],
  };
  return [...routes, nodeRoute];
}

/** Only plain names reach the node: no `..` that a proxy before it could resolve into its producer API. */
const acceptCall: RequestHandler = (request, _response, next) => {
  if (!/^[a-z0-9_]+$/.test(String(request.params['call'])))
    throw new HistoryError('UNKNOWN_PATH', 'this path does not exist');
  next();
};
