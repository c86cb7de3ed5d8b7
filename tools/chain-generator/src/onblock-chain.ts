import { createRecording, openSample, type Recording } from '@antelope-history/test-support/recordings';
import { BlockBuilder } from './block-builder';
import { sha256 } from './digests';
import type { GeneratedBlock } from './generated-block';
import { genesisState } from './genesis-state';
import { ShipLayouts } from './ship-layouts';

/** In 2025. */
const FIRST_SLOT = 1_600_000_000;
const PRODUCER = 'prod1';

/**
 * A chain of `count` blocks, as a node sends it. Each block after the first contains the implicit transaction `onblock` only, and
 * makes its parent irreversible. Ids and roots are correct.
 */
export function generateOnblockChain(count: number): Recording {
  const { abi } = openSample('leap-edge');
  const builder = new BlockBuilder(new ShipLayouts(abi));
  const spec = { transactions: [], producer: PRODUCER, slots: 1, scheduleVersion: 0 };
  let block: GeneratedBlock = builder.build(
    genesisState(0),
    { ...spec, lastIrreversible: 1 },
    { num: 1, slot: FIRST_SLOT },
  );
  const messages = [block.message];
  while (messages.length < count) {
    block = builder.build(block, { ...spec, lastIrreversible: block.num });
    messages.push(block.message);
  }
  const chainId = sha256(Buffer.from('chain of blocks with onblock only')).toString('hex');
  return { ...createRecording(abi, messages), chainId };
}
