import type { BlockRecords } from '@antelope-history/records';
import { deserializeBlock } from '@antelope-history/deserialize';
import { createShipProtocol } from '@antelope-history/ship';
import type { RecordedChain } from './store-under-test';

/** The blocks of a recorded chain in the order received; a fork starts over at a lower number. */
export function recordedBlocks(chain: RecordedChain): BlockRecords[] {
  const protocol = createShipProtocol(chain.abi);
  const blocks: BlockRecords[] = [];
  for (const { bytes } of chain.messages) {
    const result = protocol.readResult(bytes);
    if (result.kind === 'blocks' && result.blocks.thisBlock) blocks.push(deserializeBlock(result.blocks, protocol));
  }
  return blocks;
}
