import { deserializeBlock } from '@antelope-history/deserialize';
import { createShipProtocol } from '@antelope-history/ship';
import type { Recording } from '@antelope-history/test-support/recordings';
import { type ProvableBlock, provableRecords } from '../src/index';

/** Every block of a recording, orphaned blocks included. */
export function provableBlocks({ abi, messages }: Recording): ProvableBlock[] {
  const protocol = createShipProtocol(abi);
  return messages.flatMap(({ bytes }) => {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks' || !result.blocks.thisBlock) return [];
    return provableRecords(deserializeBlock(result.blocks, protocol)) ?? [];
  });
}
