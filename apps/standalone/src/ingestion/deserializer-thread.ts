import { TOPOLOGY } from '@antelope-history/broker';
import { createBlockDeserializer } from '@antelope-history/deserializer-stage';
import { toBuffer, toOwned } from '../threads/owned-bytes';
import { runThread } from '../threads/run-thread';
import { toPostedError } from '../threads/thread-messages';
import type { DeserializerResult, DeserializerTask } from './deserializer-messages';

// It has the priority of the ingestion thread, which starts it.
runThread<DeserializerResult>('deserializer', ({ config, registry, send }) => {
  const blocks = createBlockDeserializer({ config, registry });
  const work = async ({ id, raw }: DeserializerTask): Promise<void> => {
    try {
      const block = await blocks.deserialize(TOPOLOGY.rawBlocks.codec.decode(toBuffer(raw)));
      const records = block && toOwned(TOPOLOGY.blockRecords.codec.encode(block));
      send({ kind: 'records', id, records }, records ? [records.buffer] : []);
    } catch (error) {
      send({ kind: 'error', id, error: toPostedError(error) });
    }
  };
  return Promise.resolve((task: DeserializerTask) => void work(task));
});
