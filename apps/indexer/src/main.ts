import { createIndexerHealth, INDEXER_WORK, registerFreeBytes, startIndexer } from '@antelope-history/indexer-stage';
import { openBroker, registerQueueMetrics } from '@antelope-history/open-broker';
import { openKeyValue } from '@antelope-history/open-key-value';
import { openStoreWriter } from '@antelope-history/open-store-writer';
import { runProgram, startWorkerOperations } from '@antelope-history/app-runtime';

/** The indexer as a process of its own: writes blocks of records from their queue to the store. */
runProgram({
  name: 'indexer',
  uses: ['store', 'broker', 'keyValue'],
  async start({ config, log, registry, onStop, fail }) {
    const keyValue = await openKeyValue(config.keyValue, 'many processes', log);
    onStop(() => keyValue.close());
    const operations = await startWorkerOperations(
      { log, registry, onStop, fail },
      {
        kind: 'indexer',
        keyValue,
        work: INDEXER_WORK,
        address: { host: config.ops.host, port: config.ops.indexerPort },
      },
    );
    const broker = await openBroker(config.broker, 'many processes', log);
    onStop(() => broker.close());
    registerQueueMetrics(broker, registry);
    const store = await openStoreWriter(config, log);
    onStop(() => store.close());
    registerFreeBytes(store, registry);
    const indexer = await startIndexer({ config, broker, store, keyValue, log, registry, fail });
    onStop(() => indexer.stop());
    operations.showHealth(createIndexerHealth({ broker, store, keyValue, indexer, registry }));
  },
});
