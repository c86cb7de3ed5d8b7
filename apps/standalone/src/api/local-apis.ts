import { availableParallelism } from 'node:os';
import path from 'node:path';
import { countChainStatus, createHealthReader, LargeResponses } from '@antelope-history/endpoint-kit';
import type { LocalApis, LocalResponder } from '@antelope-history/gateway-proxy';
import { createStreamHandler } from '@antelope-history/history-endpoints';
import { ROUTES } from '@antelope-history/routes';
import type { Config } from '@antelope-history/app-runtime';
import type { ThreadList } from '../threads/thread-list';
import { ApiPool } from './api-pool';
import { type ApiContext, type ApiDependencies, createLocalResponders, openApiDependencies } from './open-responders';

export interface LocalApisContext extends ApiContext {
  /** Receives the threads that render responses. */
  threads: ThreadList;
  fail(error: unknown): void;
}

/** One ingests; the main thread reads requests and sends responses. */
const OTHER_THREADS = 2;
const MAX_BY_DEFAULT = 8;

/** Composes the three APIs over the store for the gateway of the same process, on the threads that the configuration asks for. */
export async function openLocalApis(context: LocalApisContext): Promise<LocalApis> {
  const deps = await openApiDependencies(context, new LargeResponses());
  countChainStatus(deps.reader, context.registry);
  return {
    responders: await openResponders(context, deps),
    readHealth: createHealthReader(deps.reader),
    stream: createStreamHandler(deps),
  };
}

async function openResponders(
  { config, threads, onStop, fail }: LocalApisContext,
  deps: ApiDependencies,
): Promise<ReadonlyMap<string, LocalResponder>> {
  const count = apiThreads(config);
  if (count === 0) return createLocalResponders(deps);
  const file = path.join(__dirname, 'api-thread.js');
  const pool = await ApiPool.start({ file, config, count, largeResponses: deps.largeResponses, fail });
  onStop(() => pool.stop());
  threads.add(...pool.threads);
  return new Map(Object.values(ROUTES).map(({ path }) => [path, pool.responder(path)]));
}

function apiThreads({ api }: Config): number {
  const free = Math.max(0, availableParallelism() - OTHER_THREADS);
  return api.threads ?? Math.min(free, MAX_BY_DEFAULT);
}
