import { openKeyValue } from '@antelope-history/backends';
import { createGateway } from '@antelope-history/gateway-proxy';
import { HTTP_WORK, listen, runProgram, startHeartbeats } from '@antelope-history/service';

runProgram({
  name: 'gateway',
  async start({ config, log, registry, onStop }) {
    const keyValue = await openKeyValue(config.keyValue, 'one process', log);
    onStop(() => keyValue.close());
    const server = await listen(createGateway({ config, keyValue, log, registry }), config.gateway);
    onStop(() => server.close());
    const readState = () => Promise.resolve({ status: 'ok' as const });
    const heartbeats = startHeartbeats({ kind: 'gateway', keyValue, registry, work: HTTP_WORK, readState });
    onStop(() => heartbeats.stop());
    log.info({ url: server.url }, 'listening');
  },
});
