import { meaningsOf, normalise } from './search-text.js';

const HEX = '0123456789abcdef'.repeat(4);

describe('meaningsOf', () => {
  it.each([
    ['12', ['block', 'account']],
    ['199068081', ['block', 'transaction']],
    ['99', ['block']],
    ['alice', ['account']],
    ['eosio.token', ['account']],
    ['abcdeabcde12', ['account', 'transaction']],
    ['03ef3ca0', ['transaction']],
    ['03EF3CA0', ['transaction']],
    [HEX, ['transaction', 'block']],
    ['PUB_K1_67tVYqeq99KdZ6mWCFmoCBVnmLvh77bubyeDn1JGKXQn9ooyiu', ['key']],
    ['EOS67tVYqeq99KdZ6mWCFmoCBVnmLvh77bubyeDn1JGKXQnAVmJi3', ['key']],
    ['Alice', []],
    ['toolongforaname', []],
    ['', []],
    [`${HEX}0`, []],
  ])('of %s', (text, meanings) => {
    expect(meaningsOf(text)).toEqual(meanings);
  });
});

it('normalise joins the groups of a number and trims', () => {
  expect([' 12,345,678 ', '1 234', '1,2', 'alice '].map(normalise)).toEqual(['12345678', '1234', '1,2', 'alice']);
});
