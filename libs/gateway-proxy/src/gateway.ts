import compression from 'compression';
import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { constants } from 'node:zlib';
import type { KeyValue } from '@antelope-history/key-value';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { HistoryError, type Route, type RouteGroup } from '@antelope-history/schemas';
import {
  type Config,
  createHttpApp,
  createHttpMetrics,
  type HttpApp,
  type HttpMetrics,
  type HttpRoute,
  type Logger,
  readRawBody,
  type Registry,
} from '@antelope-history/app-runtime';
import { requireAccess } from './client';
import { type ClientHandlers, createClientHandlers } from './client-handlers';
import { createGatewayPages, type GatewayPagesDeps } from './gateway-pages';
import { createLocalHandler, type LocalApis } from './local-apis';
import { createStreamProxy } from './stream-proxy';
import { selectPositions } from './select-positions';
import { steadyClock } from './clocks';
import { findApiFaults } from './api-faults';
import { findNodeFaults } from './node-faults';
import { createApiProxy, createNodeProxy } from './upstream-proxy';
import { queryOf } from './upstream-request';
import { createUpstreamSet, type UpstreamSet } from './upstream-set';

export interface GatewayDeps extends GatewayPagesDeps {
  config: Pick<Config, 'api' | 'gateway' | 'chainId'>;
  /** Counts the requests of all gateways together. */
  keyValue: KeyValue;
  log: Logger;
  /** The APIs of this process; without them requests go to the URLs of the configuration. */
  localApis?: LocalApis;
  /** Milliseconds since 1970, in the place of both clocks, for tests. */
  now?: () => number;
}

/** What the app of one chain gets from the gateway of several chains that it is a part of. */
export interface OfSeveralChains {
  /** Shared by the chains. */
  clients: ClientHandlers;
  /** Refuses requests while an API reports another chain. */
  requireChain: RequestHandler[];
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

/**
 * The gateway's HTTP app: API keys, rate limits, CORS, compression, and one route per endpoint to the API that serves it.
 * `ofSeveral`: given for the app of one of several chains. Throws `CONFIG_INVALID` when a file that the configuration names
 * cannot be opened, and when `config` still names several chains.
 */
export function createGateway(deps: GatewayDeps, ofSeveral?: OfSeveralChains): HttpApp {
  const { config, log, registry } = deps;
  if (config.gateway.chains !== undefined) {
    throw new HistoryError(
      'CONFIG_INVALID',
      'gateway.chains: a process with all apps serves one chain; run the gateway app',
    );
  }
  const clients = ofSeveral?.clients ?? createClientHandlers(deps);
  const pages = createGatewayPages(deps).map((route) => ({
    ...route,
    handlers: [...clients.identify, ...route.handlers],
  }));
  return createHttpApp({
    name: deps.chainName === undefined ? 'gateway' : `gateway/${deps.chainName}`,
    log,
    registry,
    observe: clients.observe,
    ...(clients.observeRefusal && { observeRefusal: clients.observeRefusal }),
    middleware: [
      selectPositions(config.api),
      cors({ exposedHeaders: EXPOSED_HEADERS, methods: ['GET', 'HEAD', 'POST'], maxAge: PREFLIGHT_SECONDS }),
      compressWhereAccepted(),
    ],
    routes: [...upstreamRoutes(deps, clients, ofSeveral?.requireChain ?? []), ...pages],
    describeUnknown: (path) => (CALL.test(path) && config.gateway.chainNodeUrl === undefined ? NO_NODE : undefined),
  });
}

const NO_NODE = 'this call needs a chain node, and the operator of this service names none in gateway.chain_node_url';

/**
 * Compresses responses if the client accepts a coding. Otherwise the library would only add `Vary: Accept-Encoding` to the
 * responses of our endpoints, which are all JSON, but take 7 % of the gateway's time to replace methods of each response. So this
 * function adds the header itself.
 */
function compressWhereAccepted(): RequestHandler {
  // A response is compressed once and sent once: speed matters more than the last percent of size. Pages have a few hundred KB, for which
  // the default window of brotli would take 4 MB per client.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } };
  const compress = compression({ level: constants.Z_BEST_SPEED, brotli });
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

/** `requireChain`: the handlers that refuse requests while an API reports another chain. */
function upstreamRoutes(deps: GatewayDeps, clients: ClientHandlers, requireChain: RequestHandler[]): HttpRoute[] {
  const { config, log, registry } = deps;
  const enter = [...clients.identify, requireAccess, ...requireChain];
  // The whole body is read before an upstream connection is used, so a slow client holds no upstream connection.
  const readBody = readRawBody(config.api.bodyLimitBytes);
  const nodeShare = config.gateway.chainNodeUrl === undefined ? 0 : NODE_SHARE;
  const admit = [...enter, readBody, clients.createWorkLimiter(1 - nodeShare)];
  const apis = createApiSets(deps);
  const handlersOf = deps.localApis ? createLocalHandlers(deps.localApis, registry) : createProxyHandlers(apis, log);
  const routes: HttpRoute[] = Object.values(ROUTES).map((route) => {
    const { endpoint, path, method } = route;
    return { endpoint, path, method, handlers: [...admit, handlersOf(route)] };
  });
  const stream = deps.localApis?.stream ?? createStreamProxy(apis.history, log);
  routes.push({ ...STREAM, handlers: [...enter, clients.limitStreams, stream] });
  return [...routes, ...nodeRoutes(deps, clients, enter)];
}

function createApiSets({ config, log, now = steadyClock }: GatewayDeps): Record<RouteGroup, UpstreamSet> {
  const { historyApiUrl, chainApiUrl, traceApiUrl } = config.gateway;
  const deps = { log, now };
  return {
    history: createUpstreamSet('history-api', historyApiUrl, findApiFaults, deps),
    chain: createUpstreamSet('chain-api', chainApiUrl, findApiFaults, deps),
    trace: createUpstreamSet('trace-api', traceApiUrl, findApiFaults, deps),
  };
}

/** The calls that only a chain node can respond to. */
function nodeRoutes(deps: GatewayDeps, clients: ClientHandlers, enter: RequestHandler[]): HttpRoute[] {
  const { config, log, now = steadyClock } = deps;
  const { chainNodeUrl } = config.gateway;
  if (chainNodeUrl === undefined) return [];
  const readCall = readRawBody(config.api.bodyLimitBytes, clients.largeBodies);
  const nodes = createUpstreamSet('chain-node', chainNodeUrl, findNodeFaults(config.chainId), { log, now });
  const proxy = createNodeProxy(nodes, log)(nodeTarget);
  return [
    {
      endpoint: '',
      path: '/v1/chain/:call',
      method: ['GET', 'POST'],
      handlers: [acceptCall, ...enter, readCall, clients.createWorkLimiter(NODE_SHARE), proxy],
    },
  ];
}

/** The part of the limits on memory for calls to chain nodes, whose responses are counted as they arrive. */
const NODE_SHARE = 0.25;

type HandlerOf = (route: Route) => RequestHandler;

function createProxyHandlers(apis: Record<RouteGroup, UpstreamSet>, log: Logger): HandlerOf {
  const proxyTo = {
    history: createApiProxy(apis.history, log),
    chain: createApiProxy(apis.chain, log),
    trace: createApiProxy(apis.trace, log),
  };
  return ({ group, path }) => proxyTo[group](() => path);
}

function createLocalHandlers({ responders }: LocalApis, registry: Registry): HandlerOf {
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
    return createLocalHandler({ path, respond, metrics: counts });
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
