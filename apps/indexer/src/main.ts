import { openBroker, openKeyValue, openStore, showQueues } from '@antelope-history/backends';
import { createIndexerHealth, INDEXER_WORK, startIndexer } from '@antelope-history/indexer-stage';
import { runProgram, startWorkerOperations } from '@antelope-history/service';

/** The indexer in a process of its own: from the queue of blocks of records to the store. */
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
    showQueues(broker, registry);
    const store = await openStore(config.store, { readOnly: false }, log);
    onStop(() => store.close());
    const indexer = await startIndexer({ config, broker, store, keyValue, log, registry, fail });
    onStop(() => indexer.stop());
    operations.showHealth(createIndexerHealth({ broker, store, keyValue, registry }));
  },
});
