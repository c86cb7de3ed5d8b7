import { parseRequest } from '@antelope-history/schemas';
import { getTransaction } from './get-transaction';

describe('a get_transaction request', () => {
  const parse = (body: Record<string, unknown>) => parseRequest(getTransaction.request, body);

  it('takes a block hint, and no other field, as an integer', () => {
    expect(parse({ id: 'abcdef01', block_num_hint: '7' }).block_num_hint).toBe(7);
    expect(() => parse({ id: 'abcdef01', block_num_hint: -1 })).toThrow('block_num_hint');
    expect(() => parse({ id: 12345678 })).toThrow('id: give a transaction id as a string');
  });
});
