import type { Express, Response } from 'express';
import { printJson } from '@antelope-history/json';
import type { KeyValue } from '@antelope-history/key-value';
import { parseRequest, type RequestOf, type Route, type RouteTable } from '@antelope-history/schemas';
import {
  type Config,
  createHttpApp,
  type HttpRoute,
  jsonBodyOf,
  type Logger,
  operationsRoutes,
  readJsonBody,
  type Registry,
} from '@antelope-history/app-runtime';
import type { HistoryReader } from '@antelope-history/store';
import { createAbiReader } from './abi-reader';
import { createHealthReader } from './chain-health';
import { countChainStatus } from './chain-metrics';
import type { CreateEndpoint, Endpoint, EndpointContext } from './endpoint';
import { LargeResponses } from './large-responses';
import { RequestWork } from './request-work';
import { createCacheKeys, ResponseCache } from './response-cache';
import { clientSignal, sendPieces } from './send-response';

export interface ApiDeps {
  reader: HistoryReader;
  config: Config['api'];
  log: Logger;
  registry: Registry;
  /** Holds the response cache, shared by all processes. Without it no response is cached. */
  keyValue?: KeyValue;
  /** Clock of the asc window guard, in milliseconds since 1970. */
  now?: () => number;
  /** Limit on the large responses of a process. Without it the app has a limit of its own. */
  largeResponses?: LargeResponses;
}

/** One endpoint per route. */
export type EndpointsOf<Routes extends RouteTable> = { [Key in keyof Routes]: CreateEndpoint<Routes[Key]> };

/**
 * Creates the HTTP app of a group of endpoints, with /health, /live and /metrics.
 *
 * @param name the app's name in logs and metrics, e.g. `history-api`
 */
export function createApi<Routes extends RouteTable>(
  name: string,
  routes: Routes,
  endpoints: EndpointsOf<Routes>,
  deps: ApiDeps,
): Express {
  const { reader, config, log, registry, keyValue, now = Date.now, largeResponses = new LargeResponses() } = deps;
  const context: EndpointContext = { reader, config, now, abis: createAbiReader(reader, registry, name) };
  const cache = keyValue && new ResponseCache({ keyValue, reader, registry, app: name });
  countChainStatus(reader, registry);
  const served = (Object.keys(routes) as (keyof Routes)[]).map((key) => {
    const route = routes[key];
    const respond = createResponder(route, endpoints[key](context), cache, largeResponses);
    return createHttpRoute(route, config.bodyLimitBytes, respond);
  });
  return createHttpApp({
    name,
    log,
    registry,
    routes: [...served, ...operationsRoutes(createHealthReader(reader), registry)],
  });
}

type Respond<R extends Route> = (request: RequestOf<R>, response: Response) => Promise<void>;

function createHttpRoute<R extends Route>(route: R, bodyLimitBytes: number, respond: Respond<R>): HttpRoute {
  const { endpoint, method, path } = route;
  return {
    endpoint,
    method,
    path,
    handlers: [
      readJsonBody(bodyLimitBytes),
      async (request, response) => respond(parseRequest<R['request']>(route.request, jsonBodyOf(request)), response),
    ],
  };
}

/** Only responses of cacheable routes can become final, so requests of other routes are not hashed. */
function createResponder<R extends Route>(
  route: R,
  endpoint: Endpoint<R>,
  cache: ResponseCache | undefined,
  largeResponses: LargeResponses,
): Respond<R> {
  const keyOf = route.cacheable && cache ? createCacheKeys(route.path) : () => undefined;
  return async (request, response) => {
    const key = keyOf(request);
    const cached = key === undefined ? undefined : await cache?.find(key);
    if (cached) {
      setFinal(response, cached.id);
      await sendPieces(response, [Buffer.from(cached.text)], 1);
      return;
    }
    const work = new RequestWork(largeResponses, clientSignal(response));
    const pieces = await makeResponse(key, request, response, work);
    await sendPieces(response, pieces, work.cost());
  };

  /** Returns only the printed response, so that its objects are garbage while a slow client reads. */
  async function makeResponse(key: string | undefined, request: RequestOf<R>, response: Response, work: RequestWork) {
    try {
      await work.turn();
      const { body, final } = await endpoint(request, work);
      await work.turn();
      const pieces = printJson(body);
      if (final && route.cacheable) {
        setFinal(response, final.id);
        if (key !== undefined) cache?.keep(key, body as object, pieces, final);
      }
      return pieces;
    } finally {
      work.end();
    }
  }
}

function setFinal(response: Response, id: string): void {
  // Weak: last_irreversible_block of a transaction goes on growing, and the spacing of the JSON may change.
  response.set({ etag: `W/"${id}"`, 'cache-control': 'public, max-age=31536000, immutable' });
}
