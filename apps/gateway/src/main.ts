import { openKeyValue } from '@antelope-history/backends';
import { createGateway } from '@antelope-history/gateway-proxy';
import { listen, runProgram } from '@antelope-history/service';

runProgram({
  name: 'gateway',
  async start({ config, log, registry, onStop }) {
    const keyValue = openKeyValue();
    onStop(() => keyValue.close());
    const server = await listen(createGateway({ config, keyValue, log, registry }), config.gateway);
    onStop(() => server.close());
    log.info({ url: server.url }, 'listening');
  },
});
