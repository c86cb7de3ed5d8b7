import { openBroker, openKeyValue } from '@antelope-history/backends';
import { startReader } from '@antelope-history/reader-stage';
import { runProgram } from '@antelope-history/service';

/** The reader in a process of its own: from the node's state history to the queue of raw blocks. */
runProgram({
  name: 'reader',
  async start({ config, log, registry, onStop, fail }) {
    const broker = openBroker(config.broker, 'many processes');
    onStop(() => broker.close());
    const keyValue = openKeyValue();
    onStop(() => keyValue.close());
    const reader = await startReader({ config, broker, keyValue, log, registry, fail });
    onStop(() => reader.stop());
  },
});
