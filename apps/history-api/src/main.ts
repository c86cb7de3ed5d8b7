import { createHistoryApi } from '@antelope-history/query-api';
import { listen, runProgram } from '@antelope-history/service';
import { openLmdbStore } from '@antelope-history/store-lmdb';

runProgram({
  name: 'history-api',
  async start({ config, log, registry, onStop }) {
    const reader = await openLmdbStore({ ...config.store, readOnly: true });
    onStop(() => reader.close());
    const server = await listen(createHistoryApi({ reader, config: config.api, log, registry }), config.historyApi);
    onStop(() => server.close());
    log.info({ url: server.url }, 'listening');
  },
});
