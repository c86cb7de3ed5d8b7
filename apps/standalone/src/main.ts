import { createGateway, createGatewayOperations, GatewayStatus } from '@antelope-history/gateway-proxy';
import { openKeyValue } from '@antelope-history/open-key-value';
import { listen, runProgram, startOperations } from '@antelope-history/app-runtime';
import { IngestionWorker } from './ingestion-worker';
import { createProcessReader } from './process-reader';
import { openLocalApis } from './serving';
import { StandaloneRegistry } from './standalone-registry';

/** The whole service as one process: the stages run on a thread of their own, the APIs and the gateway on the main thread. */
runProgram({
  name: 'antelope-history',
  uses: ['ship', 'store', 'broker', 'keyValue'],
  async start({ config, log, registry: own, onStop, fail }) {
    const ingestion = await IngestionWorker.start(config, fail);
    onStop(() => ingestion.stop());
    const registry = new StandaloneRegistry(own, () => ingestion.metrics());
    const localApis = await openLocalApis({ config, log, registry, onStop });
    const keyValue = await openKeyValue(config.keyValue, 'one process', log);
    onStop(() => keyValue.close());
    const status = new GatewayStatus({
      config,
      keyValue,
      localApis,
      components: { ship: () => ingestion.shipHealth() },
      readProcesses: createProcessReader(registry, log, () => ingestion.lastError()),
    });
    status.start();
    onStop(() => status.stop());
    const deps = { config, keyValue, log, registry, localApis, status };
    await startOperations(
      { log, onStop, fail },
      {
        name: 'antelope-history',
        address: { host: config.ops.host, port: config.ops.gatewayPort },
        routes: createGatewayOperations(deps),
      },
    );
    const listener = await listen(createGateway(deps), { ...config.gateway, registry });
    onStop(() => listener.close());
    log.info({ url: listener.url }, 'gateway listening');
  },
});
