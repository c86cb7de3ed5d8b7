import { createGateway, createGatewayOperations, GatewayStatus } from '@antelope-history/gateway-proxy';
import { openKeyValue } from '@antelope-history/open-key-value';
import { HTTP_WORK, listen, runProgram, startHeartbeats, startOperations } from '@antelope-history/app-runtime';

/** The gateway as a process of its own. */
runProgram({
  name: 'gateway',
  uses: ['keyValue'],
  async start({ config, log, registry, onStop, fail }) {
    const keyValue = await openKeyValue(config.keyValue, 'one process', log);
    onStop(() => keyValue.close());
    const status = new GatewayStatus({ config, keyValue });
    status.start();
    onStop(() => status.stop());
    const deps = { config, keyValue, log, registry, status };
    const address = { host: config.ops.host, port: config.ops.gatewayPort };
    await startOperations({ log, onStop, fail }, { name: 'gateway', address, routes: createGatewayOperations(deps) });
    const server = await listen(createGateway(deps), { ...config.gateway, registry });
    onStop(() => server.close());
    const readState = () => Promise.resolve({ status: 'ok' as const });
    const heartbeats = startHeartbeats({ kind: 'gateway', keyValue, log, registry, work: HTTP_WORK, readState });
    onStop(() => heartbeats.stop());
    log.info({ url: server.url }, 'listening');
  },
});
