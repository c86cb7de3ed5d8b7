import { parseBlockId } from './block-id';

const ID = '0000000a'.padEnd(64, 'bC');

describe('parseBlockId', () => {
  it('accepts ids in either case, and nothing else', () => {
    expect(parseBlockId('block_id', ID.toUpperCase())).toEqual({ id: ID.toLowerCase() });
    expect(() => parseBlockId('block_id', '5')).toThrow('block_id: give a block id');
  });
});
