import type { RequestListener } from 'node:http';
import { createChainApi } from '@antelope-history/chain-endpoints';
import { LargeResponses } from '@antelope-history/endpoint-kit';
import { createHistoryApi } from '@antelope-history/history-endpoints';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { type Config, listen, type Logger, type Registry } from '@antelope-history/app-runtime';
import { createTraceApi } from '@antelope-history/trace-endpoints';

export interface ServingContext {
  config: Config;
  log: Logger;
  registry: Registry;
  onStop(close: () => void | Promise<void>): void;
}

/** The address of an API: any free port of the loopback interface. Only the gateway connects to it. */
const INTERNAL = { host: '127.0.0.1', port: 0 };

/** Composes the three APIs over the store. Resolves with the gateway's configuration, extended by the URLs of the APIs. */
export async function startApis(context: ServingContext): Promise<Config['gateway']> {
  const { config, log, onStop } = context;
  const reader = await openStoreReader(config.store, log);
  onStop(() => reader.close());
  const serve = async (app: RequestListener): Promise<string> => {
    const listener = await listen(app, INTERNAL);
    onStop(() => listener.close());
    return listener.url;
  };
  const largeResponses = new LargeResponses();
  const deps = { reader, config: config.api, log, registry: context.registry, largeResponses };
  return {
    ...config.gateway,
    historyApiUrl: [await serve(createHistoryApi(deps))],
    chainApiUrl: [await serve(createChainApi(deps))],
    traceApiUrl: [await serve(createTraceApi(deps))],
  };
}
