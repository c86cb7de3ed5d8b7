import compression from 'compression';
import cors from 'cors';
import type { Express, Request, RequestHandler } from 'express';
import { constants } from 'node:zlib';
import type { KeyValue } from '@antelope-history/key-value';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { HistoryError, type Route, type RouteGroup } from '@antelope-history/schemas';
import {
  type Config,
  createHttpApp,
  createHttpMetrics,
  type HttpMetrics,
  type HttpRoute,
  type Logger,
  readRawBody,
  type Registry,
} from '@antelope-history/app-runtime';
import { createAccessLog } from './access-log';
import { createApiKeys } from './api-keys';
import { identifyClient, requireAccess } from './client';
import { createGatewayPages, type GatewayPagesDeps } from './gateway-pages';
import { countKeyUsage } from './key-usage';
import { createStreamLimiter } from './limits/limit-streams';
import { createWorkLimiter } from './limits/limit-work';
import { createLocalHandler, type LocalApis } from './local-apis';
import { createRateLimit } from './rate-limit';
import { createStreamProxy } from './stream-proxy';
import { selectPositions } from './select-positions';
import { createNodeProxy, createUpstreamProxy } from './upstream-proxy';

export interface GatewayDeps extends Omit<GatewayPagesDeps, 'config'> {
  config: Pick<Config, 'api' | 'gateway'>;
  /** Counts the requests of all gateways together. */
  keyValue: KeyValue;
  log: Logger;
  /** The APIs of this process; without them requests go to the URLs of the configuration. */
  localApis?: LocalApis;
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

/** The gateway's HTTP app: API keys, rate limits, CORS, compression, and one route per endpoint to the API that serves it. */
export function createGateway(deps: GatewayDeps): Express {
  const { config, keyValue, log, registry, now = Date.now } = deps;
  const apiKeys = createApiKeys({ config, keyValue, log, now });
  const identify = [identifyClient(config, apiKeys), createRateLimit({ keyValue, registry, now })];
  const pages = createGatewayPages(deps).map((route) => ({
    ...route,
    handlers: [...identify, ...route.handlers],
  }));
  return createHttpApp({
    name: 'gateway',
    log,
    registry,
    middleware: [
      ...[createAccessLog(config) ?? []].flat(),
      ...(apiKeys ? [countKeyUsage(registry)] : []),
      selectPositions(config.api),
      cors({ exposedHeaders: EXPOSED_HEADERS, methods: ['GET', 'HEAD', 'POST'], maxAge: PREFLIGHT_SECONDS }),
      compressWhereAccepted(),
    ],
    routes: [...upstreamRoutes(deps, identify), ...pages],
    describeUnknown: (path) => (CALL.test(path) && config.gateway.chainNodeUrl === undefined ? NO_NODE : undefined),
  });
}

const NO_NODE = 'this call needs a chain node, and the operator of this service names none in gateway.chain_node_url';

/**
 * Compresses responses. Where the client accepts no coding, the responses of our endpoints, which are all JSON, need only the
 * header that says that they vary: the library replaces methods of each response, and takes 7 % of the gateway's time for it.
 */
function compressWhereAccepted(): RequestHandler {
  // A response is compressed once and sent once: speed matters more than the last percent of size.
  const compress = compression({ level: constants.Z_BEST_SPEED });
  const paths = new Set<string>(Object.values(ROUTES).map(({ path }) => path));
  return (request, response, next) => {
    if (request.headers['accept-encoding'] !== undefined || !paths.has(request.path)) {
      compress(request, response, next);
      return;
    }
    response.vary('Accept-Encoding');
    next();
  };
}

/** `identify`: the handlers that identify the client and apply its rate limits. */
function upstreamRoutes(deps: GatewayDeps, identify: RequestHandler[]): HttpRoute[] {
  const { config, log, registry, now = Date.now } = deps;
  const { historyApiUrl, chainApiUrl, traceApiUrl, chainNodeUrl } = config.gateway;
  const limitWork = createWorkLimiter(config.gateway, registry);
  // The whole body is read before an upstream connection is used, so a slow client holds no upstream connection.
  const readBody = readRawBody(config.api.bodyLimitBytes);
  const admit = [...identify, requireAccess, readBody, limitWork];
  const urls = { history: historyApiUrl, chain: chainApiUrl, trace: traceApiUrl };
  const handlersOf = deps.localApis
    ? createLocalHandlers(deps.localApis, config.api.bodyLimitBytes, registry)
    : createProxyHandlers(urls, log, now);
  const routes: HttpRoute[] = Object.values(ROUTES).map((route) => {
    const { endpoint, path, method } = route;
    return { endpoint, path, method, handlers: [...admit, handlersOf(route)] };
  });
  const stream = deps.localApis?.stream ?? createStreamProxy(historyApiUrl, log, now);
  const limitStreams = createStreamLimiter(config.gateway.maxStreamsPerClient);
  routes.push({ ...STREAM, handlers: [...identify, requireAccess, limitStreams, stream] });
  if (chainNodeUrl === undefined) return routes;
  const proxyToNode = createNodeProxy(chainNodeUrl, log, now);
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

type HandlerOf = (route: Route) => RequestHandler;

function createProxyHandlers(urls: Record<RouteGroup, string[]>, log: Logger, now: () => number): HandlerOf {
  const proxyTo = {
    history: createUpstreamProxy('history-api', urls.history, log, now),
    chain: createUpstreamProxy('chain-api', urls.chain, log, now),
    trace: createUpstreamProxy('trace-api', urls.trace, log, now),
  };
  return ({ group, path }) => proxyTo[group](() => path);
}

function createLocalHandlers({ responders }: LocalApis, bodyLimitBytes: number, registry: Registry): HandlerOf {
  const metrics = (['history', 'chain', 'trace'] as const).map((group) => {
    const paths = Object.values(ROUTES).filter((route) => route.group === group);
    return [
      group,
      createHttpMetrics(
        registry,
        `${group}-api`,
        paths.map(({ path }) => path),
      ),
    ] as const;
  });
  const metricsOf = new Map<RouteGroup, HttpMetrics>(metrics);
  return ({ group, path }) => {
    const [respond, counts] = [responders.get(path), metricsOf.get(group)];
    if (!respond || !counts) throw new Error(`no API of this process responds to ${path}`);
    return createLocalHandler({ path, respond, bodyLimitBytes, metrics: counts });
  };
}

/**
 * Only plain call names are forwarded to the chain node: no `..`, which a proxy before the node could resolve into its
 * producer API, and no percent-encoded name of our own endpoints, which the router would not match to that endpoint.
 */
const CALL = /^\/v1\/chain\/([a-z0-9_]+)\/?$/;

const acceptCall: RequestHandler = (request, _response, next) => {
  if (!CALL.test(request.path)) throw new HistoryError('UNKNOWN_PATH', 'this path does not exist');
  next();
};

/** Uses the path as sent, because `request.params` are percent-decoded. */
function nodeTarget(request: Request): string {
  const call = CALL.exec(request.path)?.[1] ?? '';
  return `/v1/chain/${call}${queryOf(request)}`;
}

/** The query string with its question mark, without a fragment (which no client should send). */
function queryOf(request: Request): string {
  return /^[^?#]*(\?[^#]*)/.exec(request.url)?.[1] ?? '';
}
