import { openStore } from '@antelope-history/backends';
import { createHistoryApi } from '@antelope-history/query-api';
import { listen, runProgram } from '@antelope-history/service';

runProgram({
  name: 'history-api',
  async start({ config, log, registry, onStop }) {
    const reader = await openStore(config.store, { readOnly: true });
    onStop(() => reader.close());
    const server = await listen(createHistoryApi({ reader, config: config.api, log, registry }), config.historyApi);
    onStop(() => server.close());
    log.info({ url: server.url }, 'listening');
  },
});
