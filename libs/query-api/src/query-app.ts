import type { Express, Response } from 'express';
import { stringifyJson } from '@antelope-history/abi';
import { parseRequest, type Route } from '@antelope-history/schemas';
import {
  type Config,
  createHttpApp,
  type HttpRoute,
  jsonBodyOf,
  type Logger,
  operationsRoutes,
  readJsonBody,
  type Registry,
} from '@antelope-history/service';
import type { HistoryReader } from '@antelope-history/store';
import { createAbiReader } from './abi-reader';
import { createHealthReader } from './chain-health';
import { countChainStatus } from './chain-metrics';
import type { Endpoint, EndpointAnswer, EndpointContext } from './endpoint';

export interface QueryApiDeps {
  reader: HistoryReader;
  config: Config['api'];
  log: Logger;
  registry: Registry;
  /** The clock of the ascending guard, in milliseconds since 1970. */
  now?: () => number;
}

type ServedRoute = (context: EndpointContext) => HttpRoute;

/** Makes an endpoint a route: parse, answer, send. */
export function serve<R extends Route>(route: R, create: (context: EndpointContext) => Endpoint<R>): ServedRoute {
  return (context) => {
    const endpoint = create(context);
    const { method, path } = route;
    return {
      endpoint: route.endpoint,
      method,
      path,
      handlers: [
        readJsonBody(context.config.bodyLimitBytes),
        async (request, response) =>
          sendAnswer(response, await endpoint(parseRequest<R['request']>(route.request, jsonBodyOf(request)))),
      ],
    };
  };
}

export function createQueryApp(name: string, deps: QueryApiDeps, served: ServedRoute[]): Express {
  const { reader, config, log, registry, now = Date.now } = deps;
  const context: EndpointContext = { reader, config, now, abis: createAbiReader(reader, registry, name) };
  countChainStatus(reader, registry);
  const routes = served.map((createRoute) => createRoute(context));
  return createHttpApp({
    name,
    log,
    registry,
    routes: [...routes, ...operationsRoutes(createHealthReader(reader), registry)],
  });
}

function sendAnswer(response: Response, { body, finalId }: EndpointAnswer<unknown>): void {
  if (finalId !== undefined) {
    // Weak: last_irreversible_block in a transaction's answer moves on, and so may the spacing of JSON.
    response.set({ etag: `W/"${finalId}"`, 'cache-control': 'public, max-age=31536000, immutable' });
  }
  response.type('application/json').send(stringifyJson(body));
}
