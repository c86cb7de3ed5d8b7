import { createChainResponders } from '@antelope-history/chain-endpoints';
import { countChainStatus, createHealthReader, LargeResponses } from '@antelope-history/endpoint-kit';
import type { LocalApis } from '@antelope-history/gateway-proxy';
import { createHistoryResponders, createStreamHandler } from '@antelope-history/history-endpoints';
import { openStoreReader } from '@antelope-history/open-store-reader';
import type { Config, Logger, Registry } from '@antelope-history/app-runtime';
import { createTraceResponders } from '@antelope-history/trace-endpoints';

export interface ServingContext {
  config: Config;
  log: Logger;
  registry: Registry;
  onStop(close: () => void | Promise<void>): void;
}

/** Composes the three APIs over the store for the gateway of the same process. */
export async function openLocalApis({ config, log, registry, onStop }: ServingContext): Promise<LocalApis> {
  const reader = await openStoreReader(config.store, log);
  onStop(() => reader.close());
  countChainStatus(reader, registry);
  const { chainNodeUrl: chainNodeUrls = [] } = config.gateway;
  const deps = { reader, config: config.api, log, registry, chainNodeUrls, largeResponses: new LargeResponses() };
  return {
    responders: new Map([
      ...createHistoryResponders(deps),
      ...createChainResponders(deps),
      ...createTraceResponders(deps),
    ]),
    readHealth: createHealthReader(reader),
    stream: createStreamHandler(deps),
  };
}
