import type { Express, Response } from 'express';
import { printJson } from '@antelope-history/json';
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
import { createCacheKeys, ResponseCache } from './response-cache';
import { LargeResponses } from './large-responses';
import { RequestWork } from './request-work';
import { clientSignal, sendPieces } from './send-response';

export interface ApiDeps {
  reader: HistoryReader;
  config: Config['api'];
  log: Logger;
  registry: Registry;
  /** Keeps answers that can no longer change, for all processes; without it each is made anew. */
  keyValue?: KeyValue;
  /** The clock of the ascending guard, in milliseconds since 1970. */
  now?: () => number;
  /** Bounds the large responses of all apps of a process together; without it the app has bounds of its own. */
  largeResponses?: LargeResponses;
}

type ServedRoute = (context: ServingContext, finalAnswers: ResponseCache | undefined) => HttpRoute;

interface ServingContext extends EndpointContext {
  largeResponses: LargeResponses;
}

/** Makes an endpoint a route: parse, answer, send. `mayBeFinal`: whether answers of it can become such that never change. */
export function serve<R extends Route>(
  route: R,
  create: (context: EndpointContext) => Endpoint<R>,
  { mayBeFinal }: { mayBeFinal: boolean },
): ServedRoute {
  return (context, finalAnswers) => {
    const { method, path } = route;
    const answer = createAnswerer(create(context), path, mayBeFinal ? finalAnswers : undefined, context.largeResponses);
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

/** Gives a response that was kept, or makes it; `finalAnswers` are undefined where none is kept. */
function createAnswerer<R extends Route>(
  endpoint: Endpoint<R>,
  path: string,
  finalAnswers: ResponseCache | undefined,
  largeResponses: LargeResponses,
) {
  const keyOf = createCacheKeys(path);
  return async (request: RequestOf<R>, response: Response): Promise<void> => {
    const key = keyOf(request);
    const kept = await finalAnswers?.find(key);
    if (kept) {
      setFinal(response, kept.id);
      await sendPieces(response, [Buffer.from(kept.text)], 1);
      return;
    }
    const work = new RequestWork(largeResponses, clientSignal(response));
    const pieces = await makeResponse(key, request, response, work);
    await sendPieces(response, pieces, work.cost());
  };

  /** Only the printed response lives on while it is sent: a client may be slow to take it. */
  async function makeResponse(key: string, request: RequestOf<R>, response: Response, work: RequestWork) {
    try {
      await work.turn();
      const { body, final } = await endpoint(request, work);
      await work.turn();
      const pieces = printJson(body);
      if (final) {
        setFinal(response, final.id);
        finalAnswers?.keep(key, body as object, pieces, final);
      }
      return pieces;
    } finally {
      work.end();
    }
  }
}

export function createApi(name: string, deps: ApiDeps, served: ServedRoute[]): Express {
  const { reader, config, log, registry, keyValue, now = Date.now, largeResponses = new LargeResponses() } = deps;
  const abis = createAbiReader(reader, registry, name);
  const context: ServingContext = { reader, config, now, abis, largeResponses };
  countChainStatus(reader, registry);
  const finalAnswers = keyValue && new ResponseCache({ keyValue, reader, registry, app: name });
  const routes = served.map((createRoute) => createRoute(context, finalAnswers));
  return createHttpApp({
    name,
    log,
    registry,
    routes: [...routes, ...operationsRoutes(createHealthReader(reader), registry)],
  });
}

function setFinal(response: Response, id: string): void {
  // Weak: last_irreversible_block in a transaction's answer moves on, and so may the spacing of JSON.
  response.set({ etag: `W/"${id}"`, 'cache-control': 'public, max-age=31536000, immutable' });
}
