import type { Express, Response } from 'express';
import { stringifyJson } from '@antelope-history/abi';
import type { KeyValue } from '@antelope-history/key-value';
import { parseRequest, type RequestOf, type Route } from '@antelope-history/schemas';
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
import type { Endpoint, EndpointContext } from './endpoint';
import { createAnswerKeys, FinalAnswers } from './final-answers';

export interface QueryApiDeps {
  reader: HistoryReader;
  config: Config['api'];
  log: Logger;
  registry: Registry;
  /** Keeps answers that can no longer change, for all processes; without it each is made anew. */
  keyValue?: KeyValue;
  /** The clock of the ascending guard, in milliseconds since 1970. */
  now?: () => number;
}

type ServedRoute = (context: EndpointContext, finalAnswers: FinalAnswers | undefined) => HttpRoute;

/** Makes an endpoint a route: parse, answer, send. `mayBeFinal`: whether answers of it can become such that never change. */
export function serve<R extends Route>(
  route: R,
  create: (context: EndpointContext) => Endpoint<R>,
  { mayBeFinal }: { mayBeFinal: boolean },
): ServedRoute {
  return (context, finalAnswers) => {
    const { method, path } = route;
    const answer = createAnswerer(create(context), path, mayBeFinal ? finalAnswers : undefined);
    return {
      endpoint: route.endpoint,
      method,
      path,
      handlers: [
        readJsonBody(context.config.bodyLimitBytes),
        async (request, response) => answer(parseRequest<R['request']>(route.request, jsonBodyOf(request)), response),
      ],
    };
  };
}

/** Gives an answer that was kept, or makes it; `finalAnswers` are undefined where none is kept. */
function createAnswerer<R extends Route>(endpoint: Endpoint<R>, path: string, finalAnswers: FinalAnswers | undefined) {
  const keyOf = createAnswerKeys(path);
  return async (request: RequestOf<R>, response: Response): Promise<void> => {
    const key = keyOf(request);
    const kept = await finalAnswers?.find(key);
    if (kept) {
      sendAnswer(response, kept.text, kept.id);
      return;
    }
    const { body, final } = await endpoint(request);
    sendAnswer(response, stringifyJson(body), final?.id);
    if (final) finalAnswers?.keep(key, body as object, final);
  };
}

export function createQueryApp(name: string, deps: QueryApiDeps, served: ServedRoute[]): Express {
  const { reader, config, log, registry, keyValue, now = Date.now } = deps;
  const context: EndpointContext = { reader, config, now, abis: createAbiReader(reader, registry, name) };
  countChainStatus(reader, registry);
  const finalAnswers = keyValue && new FinalAnswers({ keyValue, reader, registry, app: name });
  const routes = served.map((createRoute) => createRoute(context, finalAnswers));
  return createHttpApp({
    name,
    log,
    registry,
    routes: [...routes, ...operationsRoutes(createHealthReader(reader), registry)],
  });
}

function sendAnswer(response: Response, text: string, finalId: string | undefined): void {
  if (finalId !== undefined) {
    // Weak: last_irreversible_block in a transaction's answer moves on, and so may the spacing of JSON.
    response.set({ etag: `W/"${finalId}"`, 'cache-control': 'public, max-age=31536000, immutable' });
  }
  response.type('application/json').send(text);
}
