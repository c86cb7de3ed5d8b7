import { parseRequest } from '@antelope-history/schemas';
import { getTraceBlock } from './get-block';

describe('a get_block request of trace_api', () => {
  const parse = (body: Record<string, unknown>) => parseRequest(getTraceBlock.request, body);

  it('takes a block number, a block id or both', () => {
    const body = { block_num: '-1', block_id: 'ab' };
    expect(parse(body)).toEqual({ block_num: -1, block_id: 'ab' });
    expect(() => parse({ block_num: 'latest' })).toThrow('block_num: give an integer');
    expect(() => parse({ block_num: '1.5' })).toThrow('from 0 to 4294967295, or -1 for the newest block,');
    expect(() => parse({ block_id: 5 })).toThrow('block_id: give a block id as a string');
  });
});
