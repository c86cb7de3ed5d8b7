import { deserializeBlock } from '@antelope-history/deserialize';
import type { BlockRecords } from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import { openSample, type SampleName } from '@antelope-history/test-support/recordings';

/** The blocks of a recording, as the deserializer publishes them. */
export function recordedRecords(sample: SampleName): BlockRecords[] {
  const { abi, messages, chainId } = openSample(sample);
  const protocol = createShipProtocol(abi);
  return messages.map(({ bytes }, index) => {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks') throw new Error('not a result of blocks');
    return deserializeBlock(result.blocks, protocol, { chainId, streamPosition: { epoch: 1, sequence: 1 + index } });
  });
}
