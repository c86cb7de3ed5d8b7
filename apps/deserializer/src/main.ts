import { openBroker } from '@antelope-history/backends';
import { startDeserializer } from '@antelope-history/deserializer-stage';
import { runProgram } from '@antelope-history/service';

/** The deserializer in a process of its own: from the queue of raw blocks to that of blocks of records. */
runProgram({
  name: 'deserializer',
  async start({ config, log, registry, onStop }) {
    const broker = openBroker(config.broker, 'many processes');
    onStop(() => broker.close());
    const deserializer = await startDeserializer({ broker, log, registry });
    onStop(() => deserializer.stop());
  },
});
