import { openStore } from '@antelope-history/backends';
import { createTraceApi } from '@antelope-history/query-api';
import { listen, runProgram } from '@antelope-history/service';

runProgram({
  name: 'trace-api',
  async start({ config, log, registry, onStop }) {
    const reader = await openStore(config.store, { readOnly: true });
    onStop(() => reader.close());
    const server = await listen(createTraceApi({ reader, config: config.api, log, registry }), config.traceApi);
    onStop(() => server.close());
    log.info({ url: server.url }, 'listening');
  },
});
