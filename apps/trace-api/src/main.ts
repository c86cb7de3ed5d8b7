import { openKeyValue, openStore } from '@antelope-history/backends';
import { createTraceApi, createHealthReader, createStateReader } from '@antelope-history/query-api';
import {
  HTTP_WORK,
  listen,
  operationsRoutes,
  runProgram,
  startHeartbeats,
  startOperations,
} from '@antelope-history/service';

runProgram({
  name: 'trace-api',
  uses: ['store', 'keyValue'],
  async start({ config, log, registry, onStop, fail }) {
    const reader = await openStore(config.store, { readOnly: true }, log);
    onStop(() => reader.close());
    const keyValue = await openKeyValue(config.keyValue, 'one process', log);
    onStop(() => keyValue.close());
    // In memory they would be kept by this process alone, and without a limit.
    const shared = config.keyValue.kind === 'redis' ? { keyValue } : {};
    const address = { host: config.ops.host, port: config.ops.traceApiPort };
    const routes = operationsRoutes(createHealthReader(reader), registry);
    await startOperations({ log, onStop, fail }, { name: 'trace-api', address, routes });
    const app = createTraceApi({ reader, config: config.api, log, registry, ...shared });
    const server = await listen(app, config.traceApi);
    onStop(() => server.close());
    const readState = createStateReader(reader);
    const heartbeats = startHeartbeats({ kind: 'trace-api', keyValue, registry, work: HTTP_WORK, readState });
    onStop(() => heartbeats.stop());
    log.info({ url: server.url }, 'listening');
  },
});
