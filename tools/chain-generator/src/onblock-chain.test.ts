import { deserializeBlock } from '@antelope-history/deserialize';
import { createShipProtocol } from '@antelope-history/ship';
import { generateOnblockChain } from './onblock-chain';

const BLOCKS = 20;

describe('a chain of blocks with onblock only', () => {
  it('has the number of blocks that was asked for, each with one action on the block before', () => {
    const { abi, messages, chainId } = generateOnblockChain(BLOCKS);
    const protocol = createShipProtocol(abi);
    expect(messages).toHaveLength(BLOCKS);
    expect(chainId).toMatch(/^[0-9a-f]{64}$/);
    messages.slice(1).forEach(({ bytes, prevBlock, lastIrreversible }, index) => {
      const result = protocol.readResult(bytes);
      if (result.kind !== 'blocks') throw new Error('no block');
      const { position, transactions } = deserializeBlock(result.blocks, protocol);
      expect(position.num).toBe(index + 2);
      expect(transactions.map(({ actions }) => actions.length)).toEqual([1]);
      expect([prevBlock, lastIrreversible]).toEqual([messages[index]?.thisBlock, messages[index]?.thisBlock]);
    });
  });
});
