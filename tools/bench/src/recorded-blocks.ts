import { deserializeBlock } from '@antelope-history/deserialize';
import type { BlockRecords } from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import type { Recording } from '@antelope-history/test-support/recordings';

/** The blocks of a recording as the deserializer passes them on. */
export function recordedBlocks({ abi, messages }: Recording): BlockRecords[] {
  const protocol = createShipProtocol(abi);
  return messages.flatMap(({ bytes }) => {
    const result = protocol.readResult(bytes);
    return result.kind === 'blocks' && result.blocks.thisBlock ? [deserializeBlock(result.blocks, protocol)] : [];
  });
}
