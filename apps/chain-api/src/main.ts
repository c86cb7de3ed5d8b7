import { createChainApi } from '@antelope-history/query-api';
import { listen, runProgram } from '@antelope-history/service';
import { openLmdbStore } from '@antelope-history/store-lmdb';

runProgram({
  name: 'chain-api',
  async start({ config, log, registry, onStop }) {
    const reader = await openLmdbStore({ ...config.store, readOnly: true });
    onStop(() => reader.close());
    const server = await listen(createChainApi({ reader, config: config.api, log, registry }), config.chainApi);
    onStop(() => server.close());
    log.info({ url: server.url }, 'listening');
  },
});
