import { printJson } from '@antelope-history/json';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError, parseRequest, type RequestOf, type Route, type RouteTable } from '@antelope-history/schemas';
import type { Config, Logger, Registry } from '@antelope-history/app-runtime';
import type { HistoryReader } from '@antelope-history/store';
import { createAbiReader } from './abi-reader';
import type { CreateEndpoint, Endpoint, EndpointContext, FinalFacts, SentDataFilters } from './endpoint';
import { type LargeResponseLimit, LargeResponses } from './large-responses';
import { RequestWork } from './request-work';
import { createCacheKeys, ResponseCache } from './response-cache';
import { type CheckUnknownFields, createUnknownFieldCheck, isDataFilter } from './unknown-fields';

export interface ApiDeps {
  reader: HistoryReader;
  config: Config['api'];
  log: Logger;
  registry: Registry;
  /** Holds the response cache, shared by all processes. Without it no response is cached. */
  keyValue?: KeyValue;
  /** Clock of the asc window guard, in milliseconds since 1970. */
  now?: () => number;
  /** Chain nodes that report what only a node knows, for `get_info`. */
  chainNodeUrls?: readonly string[];
  /** Limit on the large responses of a process. Without it the app has a limit of its own. */
  largeResponses?: LargeResponseLimit;
}

/** One endpoint per route. */
export type EndpointsOf<Routes extends RouteTable> = { [Key in keyof Routes]: CreateEndpoint<Routes[Key]> };

/** A response as it is sent: status 200, headers, and the printed body in pieces. */
export interface ApiResponse {
  headers: Record<string, string | number>;
  pieces: Buffer[];
  /** In units of the cost limit. */
  cost: number;
}

/**
 * Responds to a request by its parsed body; `signal` aborts when the client disconnects. Rejects with a `HistoryError`, which has
 * the cost of the work until then.
 */
export type Respond = (body: Record<string, unknown>, signal: AbortSignal) => Promise<ApiResponse>;

/**
 * Creates the responders of a group of endpoints by path: the endpoints with everything but HTTP.
 *
 * @param name the group's name in metrics, e.g. `history-api`
 */
export function createResponders<Routes extends RouteTable>(
  name: string,
  routes: Routes,
  endpoints: EndpointsOf<Routes>,
  deps: ApiDeps,
): Map<string, Respond> {
  const { reader, config, registry, keyValue, now = Date.now, largeResponses = new LargeResponses() } = deps;
  const context: EndpointContext = { reader, config, now, abis: createAbiReader(reader, registry, name) };
  const cache = keyValue && new ResponseCache({ keyValue, reader, registry, app: name });
  const keys = Object.keys(routes) as (keyof Routes)[];
  return new Map(
    keys.map((key) => {
      const route = routes[key] as Routes[keyof Routes] & Route;
      const checkFields = createUnknownFieldCheck(route, config.unknownFields);
      return [route.path, createResponder(route, endpoints[key](context), checkFields, cache, largeResponses)];
    }),
  );
}

/** Only responses of cacheable routes can become final, so requests of other routes are not hashed. */
function createResponder<R extends Route>(
  route: R,
  endpoint: Endpoint<R>,
  checkUnknownFields: CheckUnknownFields,
  cache: ResponseCache | undefined,
  largeResponses: LargeResponseLimit,
): Respond {
  const keyOf = route.cacheable && cache ? createCacheKeys(route.path) : () => undefined;
  return async (json, signal) => {
    checkUnknownFields(json);
    const request = parseRequest<R['request']>(route.request, json);
    const key = keyOf(request);
    const cached = key === undefined ? undefined : await cache?.find(key);
    if (cached) return toResponse([Buffer.from(cached.text)], cached.id, 1);
    const work = new RequestWork(largeResponses, signal);
    try {
      const { pieces, finalId } = await makeBody(key, request, work, dataFiltersIn(route, json));
      return toResponse(pieces, finalId, work.cost());
    } catch (error) {
      if (error instanceof HistoryError) error.cost = work.cost();
      throw error;
    } finally {
      work.end();
    }
  };

  /** Returns only the printed response, so that its objects are garbage while a slow client reads. */
  async function makeBody(
    key: string | undefined,
    request: RequestOf<R>,
    work: RequestWork,
    dataFilters: SentDataFilters,
  ) {
    await work.turn();
    const { body, final } = await endpoint(request, work, dataFilters);
    await work.turn();
    const pieces = printJson(body);
    const kept: FinalFacts | undefined = route.cacheable ? final : undefined;
    if (kept && key !== undefined) cache?.keep(key, body as object, pieces, kept);
    return { pieces, finalId: kept?.id };
  }
}

const NO_FILTERS: SentDataFilters = new Map();

function dataFiltersIn({ filtersData }: Route, json: Record<string, unknown>): SentDataFilters {
  if (!filtersData) return NO_FILTERS;
  return new Map(Object.entries(json).filter(([name, value]) => isDataFilter(name) && value !== null));
}

function toResponse(pieces: Buffer[], finalId: string | undefined, cost: number): ApiResponse {
  const headers: ApiResponse['headers'] = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': pieces.reduce((sum, piece) => sum + piece.length, 0),
  };
  if (finalId !== undefined) {
    // Weak: last_irreversible_block of a transaction goes on growing, and the spacing of the JSON may change.
    headers['etag'] = `W/"${finalId}"`;
    headers['cache-control'] = 'public, max-age=31536000, immutable';
  }
  return { headers, pieces, cost };
}
