import type { RequestListener } from 'node:http';
import { openStore } from '@antelope-history/backends';
import { createChainApi } from '@antelope-history/chain-endpoints';
import { LargeResponses } from '@antelope-history/endpoint-kit';
import { createHistoryApi } from '@antelope-history/history-endpoints';
import { listen, type Config, type Logger, type Registry } from '@antelope-history/service';
import { createTraceApi } from '@antelope-history/trace-endpoints';

export interface ServingContext {
  config: Config;
  log: Logger;
  registry: Registry;
  onStop(close: () => void | Promise<void>): void;
}

/** Where an API listens: any free port of this machine alone; only the gateway knows it. */
const INTERNAL = { host: '127.0.0.1', port: 0 };

/** Composes the three APIs over the store; gives the configuration by which the gateway finds them. */
export async function startApis(context: ServingContext): Promise<Config['gateway']> {
  const { config, log, onStop } = context;
  const reader = await openStore(config.store, { readOnly: true }, log);
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
