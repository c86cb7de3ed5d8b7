import type { RequestListener } from 'node:http';
import { openKeyValue } from '@antelope-history/open-key-value';
import { openStoreReader } from '@antelope-history/open-store-reader';
import { createHealthReader, createStateReader, type ApiDeps } from '@antelope-history/endpoint-kit';
import {
  HTTP_WORK,
  listen,
  operationsRoutes,
  runProgram,
  startHeartbeats,
  startOperations,
  type ProgramContext,
  type ProgramHost,
} from '@antelope-history/app-runtime';

/** An app that serves one group of endpoints from the store. */
export interface Api {
  /** The app's name in logs, metrics and heartbeats, such as `chain-api`. */
  name: string;
  /** The configuration section with the address of the endpoints; `ops` has the operations port under the same name. */
  section: 'historyApi' | 'chainApi' | 'traceApi';
  /** Creates the HTTP handler of the group. */
  createApp(deps: ApiDeps): RequestListener;
}

/**
 * Runs an API as a process: opens the read side of the store and the key-value store, starts the operations listener, the
 * endpoints and the heartbeats, in this order. Errors of opening end the process, as `runProgram` describes.
 */
export function runApi(api: Api, host?: ProgramHost): void {
  runProgram({ name: api.name, uses: ['store', 'keyValue'], start: (context) => startApi(api, context) }, host);
}

async function startApi(
  { name, section, createApp }: Api,
  context: ProgramContext<'store' | 'keyValue'>,
): Promise<void> {
  const { config, log, registry, onStop } = context;
  const reader = await openStoreReader(config.store, log);
  onStop(() => reader.close());
  const keyValue = await openKeyValue(config.keyValue, 'one process', log);
  onStop(() => keyValue.close());
  await startOperations(context, {
    name,
    address: { host: config.ops.host, port: config.ops[`${section}Port`] },
    routes: operationsRoutes(createHealthReader(reader), registry),
  });
  // The store in memory has no size limit and serves this process alone: no responses are cached in it.
  const cache = config.keyValue.kind === 'redis' ? { keyValue } : {};
  const { chainNodeUrl: chainNodeUrls = [] } = config.gateway;
  const app = createApp({ reader, config: config.api, log, registry, chainNodeUrls, ...cache });
  const server = await listen(app, config[section]);
  onStop(() => server.close());
  const readState = createStateReader(reader);
  const heartbeats = startHeartbeats({ kind: name, keyValue, log, registry, work: HTTP_WORK, readState });
  onStop(() => heartbeats.stop());
  log.info({ url: server.url }, 'listening');
}
