import { createChainResponders } from '@antelope-history/chain-endpoints';
import type { LargeResponseLimit } from '@antelope-history/endpoint-kit';
import type { LocalResponder } from '@antelope-history/gateway-proxy';
import { createHistoryResponders } from '@antelope-history/history-endpoints';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { type Config, type Logger, parseJsonBody, type Registry } from '@antelope-history/app-runtime';
import type { StoreReader } from '@antelope-history/store';
import { createTraceResponders } from '@antelope-history/trace-endpoints';

export interface ApiContext {
  config: Config;
  log: Logger;
  registry: Registry;
  onStop(close: () => void | Promise<void>): void;
}

/** What the endpoints of a thread share. */
export type ApiDependencies = Awaited<ReturnType<typeof openApiDependencies>>;

/** Opens the store for a thread that renders responses. */
export async function openApiDependencies(
  { config, log, registry, onStop }: ApiContext,
  largeResponses: LargeResponseLimit,
) {
  const reader: StoreReader = await openStoreReader(config.store, log);
  onStop(() => reader.close());
  const { chainNodeUrl: chainNodeUrls = [] } = config.gateway;
  return { reader, config: config.api, log, registry, chainNodeUrls, largeResponses };
}

/** Composes the three APIs over the store. */
export function createLocalResponders(deps: ApiDependencies): Map<string, LocalResponder> {
  const responders = [...createHistoryResponders(deps), ...createChainResponders(deps), ...createTraceResponders(deps)];
  const { bodyLimitBytes } = deps.config;
  return new Map(
    responders.map(([path, respond]) => [
      path,
      async ({ bytes, contentEncoding }, signal) =>
        respond(parseJsonBody(bytes, contentEncoding, bodyLimitBytes), signal),
    ]),
  );
}
