import compression from 'compression';
import cors from 'cors';
import type { Express, Request, RequestHandler } from 'express';
import { constants } from 'node:zlib';
import type { KeyValue } from '@antelope-history/key-value';
import { ROUTES } from '@antelope-history/routes';
import { HistoryError } from '@antelope-history/schemas';
import {
  type Config,
  createHttpApp,
  type HttpRoute,
  type Logger,
  readRawBody,
  type Registry,
} from '@antelope-history/service';
import { createApiKeys } from './api-keys';
import { identifyClient, requireAccess } from './client';
import type { ReadComponent } from './gateway-health';
import { createGatewayPages } from './gateway-pages';
import { createWorkLimiter } from './limits/limit-work';
import { createRateLimit } from './rate-limit';
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
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
];
const PREFLIGHT_SECONDS = 86_400;

/** The front of the service: rate limits, CORS and compression, and each path to the app that answers it. */
export function createGateway(deps: GatewayDeps): Express {
  const { config, keyValue, log, registry, now = Date.now } = deps;
  const meet = [
    identifyClient(config, createApiKeys({ config, keyValue, log, now })),
    createRateLimit({ keyValue, registry, now }),
  ];
  const pages = createGatewayPages(deps, config.gateway.publicPaths).map((route) => ({
    ...route,
    handlers: [...meet, ...route.handlers],
  }));
  return createHttpApp({
    name: 'gateway',
    log,
    registry,
    middleware: [
      cors({ exposedHeaders: EXPOSED_HEADERS, methods: ['GET', 'HEAD', 'POST'], maxAge: PREFLIGHT_SECONDS }),
      // Answers are made once and sent once: little effort per byte beats few bytes.
      compression({ level: constants.Z_BEST_SPEED }),
    ],
    routes: [...upstreamRoutes(deps, meet), ...pages],
  });
}

/** `meet`: who the client is, and whether it sends too much. */
function upstreamRoutes(deps: GatewayDeps, meet: RequestHandler[]): HttpRoute[] {
  const { config, log, registry, now = Date.now } = deps;
  const { historyApiUrl, chainApiUrl, traceApiUrl, chainNodeUrl } = config.gateway;
  const limitWork = createWorkLimiter(config.gateway, registry);
  // The whole body is here before an upstream's connection is taken: slow clients hold none of them.
  const readBody = readRawBody(config.api.bodyLimitBytes);
  const admit = [...meet, requireAccess, readBody, limitWork];
  const proxyTo = {
    history: createUpstreamProxy('history-api', historyApiUrl, log, now),
    chain: createUpstreamProxy('chain-api', chainApiUrl, log, now),
    trace: createUpstreamProxy('trace-api', traceApiUrl, log, now),
  };
  const routes: HttpRoute[] = Object.values(ROUTES).map(({ endpoint, path, group, method }) => ({
    endpoint,
    path,
    method,
    handlers: [...admit, proxyTo[group](() => path)],
  }));
  if (chainNodeUrl === undefined) return routes;
  const proxyToNode = createUpstreamProxy('chain-node', [chainNodeUrl], log, now);
  return [
    ...routes,
    {
      endpoint: '',
      path: '/v1/chain/:call',
      method: ['GET', 'POST'],
      handlers: [acceptCall, ...admit, proxyToNode(nodeTarget)],
    },
  ];
}

/**
 * Only plain names reach the node: no `..` that a proxy before it could resolve into its producer API, and no encoded name
 * of an endpoint of our own, which the router does not take for that endpoint.
 */
const CALL = /^\/v1\/chain\/([a-z0-9_]+)\/?$/;

const acceptCall: RequestHandler = (request, _response, next) => {
  if (!CALL.test(request.path)) throw new HistoryError('UNKNOWN_PATH', 'this path does not exist');
  next();
};

/** The path is taken as it was sent: `request.params` are decoded. */
function nodeTarget(request: Request): string {
  const call = CALL.exec(request.path)?.[1] ?? '';
  return `/v1/chain/${call}${queryOf(request)}`;
}

/** With its question mark; a fragment, which no client should send, is no part of it. */
function queryOf(request: Request): string {
  return /^[^?#]*(\?[^#]*)/.exec(request.url)?.[1] ?? '';
}
