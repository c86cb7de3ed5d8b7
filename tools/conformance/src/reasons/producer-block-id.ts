import type { Reason } from '../comparison';
import type { RecordedBlock } from '../recorded-block';

/** A node that produces a block records the block's actions before the block has an id. */
export const producerBlockId: Reason<{ block: RecordedBlock }> = {
  name: 'producer-block-id',
  sentence: '`producer_block_id` is the id of the block; a node that produced the block returns null.',
  explains({ path, recorded, ours }, _, { block }) {
    return path.at(-1) === 'producer_block_id' && recorded === null && ours === block.id;
  },
};
