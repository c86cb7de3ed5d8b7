import { deserializeBlock } from '@antelope-history/deserialize';
import type { BlockRecords } from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import type { Recording } from '@antelope-history/test-support/recordings';

/** The blocks of a recording, forks included, in the order of its messages. */
export function recordsOf({ abi, messages, chainId }: Recording): BlockRecords[] {
  const protocol = createShipProtocol(abi);
  let sequence = 0;
  return messages.flatMap(({ bytes }) => {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks' || !result.blocks.thisBlock) return [];
    const streamPosition = { epoch: 1, sequence: ++sequence };
    return [deserializeBlock(result.blocks, protocol, { chainId, streamPosition })];
  });
}
