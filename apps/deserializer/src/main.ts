import {
  createBlockDeserializer,
  createDeserializerHealth,
  DESERIALIZER_WORK,
  startDeserializer,
} from '@antelope-history/deserializer-stage';
import { openBroker } from '@antelope-history/open-broker';
import { openKeyValue } from '@antelope-history/open-key-value';
import { runProgram, startWorkerOperations } from '@antelope-history/app-runtime';

/** The deserializer as a process of its own: turns raw blocks into blocks of records, from queue to queue. */
runProgram({
  name: 'deserializer',
  uses: ['broker', 'keyValue'],
  async start({ config, log, registry, onStop, fail }) {
    const keyValue = await openKeyValue(config.keyValue, 'many processes', log);
    onStop(() => keyValue.close());
    const operations = await startWorkerOperations(
      { log, registry, onStop, fail },
      {
        kind: 'deserializer',
        keyValue,
        work: DESERIALIZER_WORK,
        address: { host: config.ops.host, port: config.ops.deserializerPort },
      },
    );
    const broker = await openBroker(config.broker, 'many processes', log);
    onStop(() => broker.close());
    const deserializer = await startDeserializer({
      broker,
      log,
      registry,
      blockDeserializer: createBlockDeserializer({ config, registry }),
    });
    onStop(() => deserializer.stop());
    operations.showHealth(createDeserializerHealth(broker));
  },
});
