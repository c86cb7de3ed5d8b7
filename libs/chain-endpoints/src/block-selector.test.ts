import { parseBlockNumOrId } from './block-selector';

const ID = '0000000a'.padEnd(64, 'bC');

describe('parseBlockNumOrId', () => {
  it.each([
    [5, { num: 5 }],
    ['5', { num: 5 }],
    ['0', { num: 0 }],
    ['007', { num: 7 }],
    ['4294967295', { num: 4294967295 }],
    [ID, { id: ID.toLowerCase() }],
    ['1'.repeat(64), { id: '1'.repeat(64) }],
  ])('reads %j', (value, selector) => {
    expect(parseBlockNumOrId('block_num_or_id', value)).toEqual(selector);
  });

  it.each(['', 'abc', '-', '1.5', 1.5, '0x5', ' 5', ID.slice(1), `${ID}0`, 'g'.repeat(64), '1'.repeat(65)])(
    'refuses %j',
    (value) => {
      expect(() => parseBlockNumOrId('block_num_or_id', value)).toThrow(
        expect.objectContaining({ code: 'INVALID_BLOCK_ID' }),
      );
    },
  );

  it.each(['-1', -1, '4294967296', 4294967296, '9'.repeat(63)])('reports %j as an unknown block', (value) => {
    expect(() => parseBlockNumOrId('block_num_or_id', value)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_BLOCK', message: `Could not find block: ${value}` }),
    );
  });
});
