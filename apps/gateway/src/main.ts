import { openKeyValue } from '@antelope-history/backends';
import { createGateway } from '@antelope-history/gateway-proxy';
import { HTTP_WORK, listen, runProgram, startHeartbeats } from '@antelope-history/service';

runProgram({
  name: 'gateway',
  async start({ config, log, registry, onStop }) {
    const keyValue = await openKeyValue(config.keyValue, log);
    onStop(() => keyValue.close());
    const server = await listen(createGateway({ config, keyValue, log, registry }), config.gateway);
    onStop(() => server.close());
    const readStatus = () => Promise.resolve('ok' as const);
    const heartbeats = startHeartbeats({ kind: 'gateway', keyValue, registry, work: HTTP_WORK, readStatus });
    onStop(() => heartbeats.stop());
    log.info({ url: server.url }, 'listening');
  },
});
