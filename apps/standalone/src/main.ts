import path from 'node:path';
import { createGateway, createGatewayOperations, GatewayStatus } from '@antelope-history/gateway-proxy';
import { openKeyValue } from '@antelope-history/open-key-value';
import { shipHealth } from '@antelope-history/reader-stage';
import {
  limitConnections,
  listen,
  runProgram,
  startOperations,
  warnOfFewOpenFiles,
} from '@antelope-history/app-runtime';
import { openLocalApis } from './api/local-apis';
import { createProcessReader } from './process-reader';
import { StandaloneRegistry } from './standalone-registry';
import { ServiceThread } from './threads/service-thread';
import { ThreadList } from './threads/thread-list';

/** Ingestion makes few objects that live long: a smaller young generation collects as much, and takes 30 MB less. */
const INGESTION_MEMORY = { maxYoungGenerationSizeMb: 24 };

/**
 * The whole service as one process: the stages run on a thread of their own, so that indexing does not delay responses; the gateway
 * on the main thread; the APIs there, too, or on further threads.
 */
runProgram({
  name: 'antelope-history',
  uses: ['ship', 'store', 'broker', 'keyValue'],
  async start({ config, log, registry: own, onStop, fail }) {
    const file = path.join(__dirname, 'ingestion/ingestion-thread.js');
    const ingestion = await ServiceThread.start({ file, name: 'ingestion', config, memory: INGESTION_MEMORY, fail });
    onStop(() => ingestion.stop());
    const threads = new ThreadList();
    threads.add(ingestion);
    const registry = new StandaloneRegistry(own, threads);
    const localApis = await openLocalApis({ config, log, registry, threads, onStop, fail });
    const keyValue = await openKeyValue(config.keyValue, 'one process', log);
    onStop(() => keyValue.close());
    const status = new GatewayStatus({
      config,
      keyValue,
      localApis,
      components: { ship: async () => shipHealth(await ingestion.metrics()) },
      readProcesses: createProcessReader(registry, log, threads),
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
    warnOfFewOpenFiles(config.gateway, log);
    const limit = limitConnections(config.gateway, registry);
    const listener = await listen(createGateway(deps), { ...config.gateway, limit });
    onStop(() => listener.close());
    log.info({ url: listener.url }, 'gateway listening');
  },
});
