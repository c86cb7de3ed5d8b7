import { createGatewayService } from '@antelope-history/gateway-proxy';
import { openChainKeyValues, openKeyValue } from '@antelope-history/open-key-value';
import {
  HTTP_WORK,
  limitConnections,
  listen,
  runProgram,
  startHeartbeats,
  startOperations,
  warnOfFewOpenFiles,
} from '@antelope-history/app-runtime';

/** The gateway as a process of its own. */
runProgram({
  name: 'gateway',
  uses: ['keyValue'],
  async start({ config, log, registry, onStop, fail }) {
    const keyValue = await openKeyValue(config.keyValue, 'one process', log);
    onStop(() => keyValue.close());
    const chains = await openChainKeyValues(config, log);
    onStop(() => chains.close());
    const deps = { config, keyValue, keyValueOf: (chain: string) => chains.of(chain), log, registry };
    const service = createGatewayService(deps);
    for (const status of service.statuses) status.start();
    onStop(() => service.statuses.forEach((status) => status.stop()));
    const address = { host: config.ops.host, port: config.ops.gatewayPort };
    await startOperations({ log, onStop, fail }, { name: 'gateway', address, routes: service.operations });
    warnOfFewOpenFiles(config.gateway, log);
    const limit = limitConnections(config.gateway, registry);
    const server = await listen(service.app, { ...config.gateway, limit });
    onStop(() => server.close());
    const readState = () => Promise.resolve({ status: 'ok' as const });
    const heartbeats = startHeartbeats({ kind: 'gateway', keyValue, log, registry, work: HTTP_WORK, readState });
    onStop(() => heartbeats.stop());
    log.info({ url: server.url }, 'listening');
  },
});
