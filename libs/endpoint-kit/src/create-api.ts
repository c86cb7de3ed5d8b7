import type { Response } from 'express';
import { HistoryError, type RouteTable } from '@antelope-history/schemas';
import {
  clientSignal,
  COST_HEADER,
  createHttpApp,
  type HttpApp,
  type HttpRoute,
  jsonBodyOf,
  operationsRoutes,
  readJsonBody,
} from '@antelope-history/app-runtime';
import { createHealthReader } from './chain-health';
import { countChainStatus } from './chain-metrics';
import { type ApiDeps, createResponders, type EndpointsOf, type Respond } from './responders';
import { sendResponse } from './send-response';

/**
 * Creates the HTTP app of a group of endpoints, with /health, /live and /metrics.
 *
 * @param name the app's name in logs and metrics, e.g. `history-api`
 * @param otherRoutes those that have no single response
 */
export function createApi<Routes extends RouteTable>(
  name: string,
  routes: Routes,
  endpoints: EndpointsOf<Routes>,
  deps: ApiDeps,
  otherRoutes: readonly HttpRoute[] = [],
): HttpApp {
  const { reader, config, log, registry } = deps;
  countChainStatus(reader, registry);
  const responders = createResponders(name, routes, endpoints, deps);
  const readBody = readJsonBody(config.bodyLimitBytes);
  const served = Object.values(routes).map(({ endpoint, method, path }): HttpRoute => {
    const respond = responders.get(path) as Respond;
    return {
      endpoint,
      method,
      path,
      handlers: [
        readBody,
        async (request, response) => {
          const made = respond(jsonBodyOf(request), clientSignal(response));
          await sendResponse(response, await made.catch((error: unknown) => tellCost(error, response)));
        },
      ],
    };
  });
  return createHttpApp({
    name,
    log,
    registry,
    routes: [...served, ...otherRoutes, ...operationsRoutes(createHealthReader(reader), registry)],
  });
}

/** Tells the gateway the cost of a request that failed, and throws its error. */
function tellCost(error: unknown, response: Response): never {
  if (error instanceof HistoryError && error.cost !== undefined) response.setHeader(COST_HEADER, error.cost);
  throw error;
}
