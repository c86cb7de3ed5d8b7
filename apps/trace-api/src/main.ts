import { openKeyValue, openStore } from '@antelope-history/backends';
import { createTraceApi, createStateReader } from '@antelope-history/query-api';
import { HTTP_WORK, listen, runProgram, startHeartbeats } from '@antelope-history/service';

runProgram({
  name: 'trace-api',
  async start({ config, log, registry, onStop }) {
    const reader = await openStore(config.store, { readOnly: true }, log);
    onStop(() => reader.close());
    const keyValue = await openKeyValue(config.keyValue, 'one process', log);
    onStop(() => keyValue.close());
    // In memory they would be kept by this process alone, and without a limit.
    const shared = config.keyValue.kind === 'redis' ? { keyValue } : {};
    const app = createTraceApi({ reader, config: config.api, log, registry, ...shared });
    const server = await listen(app, config.traceApi);
    onStop(() => server.close());
    const readState = createStateReader(reader);
    const heartbeats = startHeartbeats({ kind: 'trace-api', keyValue, registry, work: HTTP_WORK, readState });
    onStop(() => heartbeats.stop());
    log.info({ url: server.url }, 'listening');
  },
});
