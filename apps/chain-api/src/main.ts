import { openStore } from '@antelope-history/backends';
import { createChainApi } from '@antelope-history/query-api';
import { listen, runProgram } from '@antelope-history/service';

runProgram({
  name: 'chain-api',
  async start({ config, log, registry, onStop }) {
    const reader = await openStore(config.store, { readOnly: true });
    onStop(() => reader.close());
    const server = await listen(createChainApi({ reader, config: config.api, log, registry }), config.chainApi);
    onStop(() => server.close());
    log.info({ url: server.url }, 'listening');
  },
});
