import { openBroker, openKeyValue, openStore } from '@antelope-history/backends';
import { startIndexer } from '@antelope-history/indexer-stage';
import { runProgram } from '@antelope-history/service';

/** The indexer in a process of its own: from the queue of blocks of records to the store. */
runProgram({
  name: 'indexer',
  async start({ config, log, registry, onStop, fail }) {
    const broker = openBroker(config.broker, 'many processes');
    onStop(() => broker.close());
    const store = await openStore(config.store, { readOnly: false });
    onStop(() => store.close());
    const keyValue = openKeyValue();
    onStop(() => keyValue.close());
    const indexer = await startIndexer({ config, broker, store, keyValue, log, registry, fail });
    onStop(() => indexer.stop());
  },
});
