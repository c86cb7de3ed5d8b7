import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from '@antelope-history/app-runtime';
import { deserializeBlock } from '@antelope-history/deserialize';
import type { BlockRecords } from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import { openSample } from '@antelope-history/test-support/recordings';
import { BlockVerifier } from './block-verifier';

function largestBlock(): BlockRecords {
  const { abi, messages } = openSample('leap-edge');
  const protocol = createShipProtocol(abi);
  const blocks = messages.flatMap(({ bytes }) => {
    const result = protocol.readResult(bytes);
    return result.kind === 'blocks' && result.blocks.block ? [deserializeBlock(result.blocks, protocol)] : [];
  });
  return blocks.reduce((largest, block) => (actionCount(block) > actionCount(largest) ? block : largest));
}

const actionCount = ({ transactions }: BlockRecords): number =>
  transactions.reduce((count, { actions }) => count + actions.length, 0);

describe('BlockVerifier', () => {
  const verifier = new BlockVerifier('all', new Registry());

  /** The block with its first transaction 20,000 times, which takes far longer than one turn of the event loop may. */
  function repeated(block: BlockRecords): BlockRecords {
    const [first] = block.transactions;
    if (!first) throw new Error('the block has no transaction');
    return { ...block, transactions: Array.from({ length: 20_000 }, () => first) };
  }

  it('lets the event loop turn while it verifies a block of many actions', async () => {
    let turns = 0;
    const done = new AbortController();
    const verified = expect(verifier.verify(repeated(largestBlock()))).rejects.toMatchObject({ code: 'BLOCK_ALTERED' });
    void verified.finally(() => done.abort());
    while (!done.signal.aborted) {
      await nextTurn();
      turns++;
    }
    await verified;
    expect(turns).toBeGreaterThan(2);
  });

  it('leaves irreversible blocks out where it verifies new ones only', async () => {
    const ofNew = new BlockVerifier('new', new Registry());
    const altered = { ...largestBlock(), transactions: [] };
    const { position } = altered;
    await ofNew.verify({ ...altered, lastIrreversible: position });
    const before = { ...position, num: position.num - 1 };
    const verified = ofNew.verify({ ...altered, lastIrreversible: before });
    await expect(verified).rejects.toMatchObject({ code: 'BLOCK_ALTERED' });
  });
});
