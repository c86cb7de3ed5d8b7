import { openBroker } from '@antelope-history/open-broker';
import { openKeyValue } from '@antelope-history/open-key-value';
import { createReaderHealth, READER_WORK, startReader } from '@antelope-history/reader-stage';
import { runProgram, startWorkerOperations } from '@antelope-history/app-runtime';

/** The reader as a process of its own: publishes the node's state history to the queue of raw blocks. */
runProgram({
  name: 'reader',
  uses: ['ship', 'broker', 'keyValue'],
  async start({ config, log, registry, onStop, fail }) {
    const keyValue = await openKeyValue(config.keyValue, 'many processes', log);
    onStop(() => keyValue.close());
    const operations = await startWorkerOperations(
      { log, registry, onStop, fail },
      {
        kind: 'reader',
        keyValue,
        work: READER_WORK,
        address: { host: config.ops.host, port: config.ops.readerPort },
      },
    );
    const broker = await openBroker(config.broker, 'many processes', log);
    onStop(() => broker.close());
    const reader = await startReader({ config, broker, keyValue, log, registry, fail });
    onStop(() => reader.stop());
    operations.showHealth(createReaderHealth({ broker, keyValue, registry }));
  },
});
