import { parseRequest } from '@antelope-history/schemas';
import { getChainBlock } from './get-block';

describe('a get_block request of chain_api', () => {
  const parse = (body: Record<string, unknown>) => parseRequest(getChainBlock.request, body);

  it('takes a block number or id in one field', () => {
    expect(parse({ block_num_or_id: 5 }).block_num_or_id).toBe(5);
    for (const body of [{}, { block_num_or_id: null }, { block_num_or_id: true }, { block_num_or_id: [] }]) {
      expect(() => parse(body)).toThrow('block_num_or_id: give a block number or a block id');
    }
  });
});
