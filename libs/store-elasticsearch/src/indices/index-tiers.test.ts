import { parseTiers, tierOf } from './index-tiers';

describe('tierOf', () => {
  const tiers = parseTiers(['50:cold', '0:hot', '20:warm']);
  it.each([
    [100, 105, 'hot'],
    [100, 109, 'hot'],
    [100, 128, 'hot'],
    [100, 129, 'warm'],
    [100, 158, 'warm'],
    [100, 159, 'cold'],
    [0, 4_000_000_000, 'cold'],
  ])('the ten blocks from %i on with the committed block %i: %s', (first, committed, name) => {
    expect(tierOf(first + 9, committed, tiers)).toBe(name);
  });

  it('is any node before the first age, and without tiers', () => {
    expect(tierOf(109, 110, parseTiers(['5:warm']))).toBeUndefined();
    expect(tierOf(109, 999, [])).toBeUndefined();
  });
});
