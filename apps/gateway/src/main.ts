import { createGateway } from '@antelope-history/gateway-proxy';
import { MemoryKeyValue } from '@antelope-history/in-process';
import { listen, runProgram } from '@antelope-history/service';

runProgram({
  name: 'gateway',
  async start({ config, log, registry, onStop }) {
    const keyValue = new MemoryKeyValue();
    onStop(() => keyValue.close());
    const server = await listen(createGateway({ config, keyValue, log, registry }), config.gateway);
    onStop(() => server.close());
    log.info({ url: server.url }, 'listening');
  },
});
