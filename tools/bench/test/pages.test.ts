import { sampleFolder } from '@antelope-history/test-support/recordings';
import { measurePages } from '../src';

describe('pages of the running service', () => {
  it('are slices of the whole list, at every depth, in both orders, with filters and bounds', async () => {
    const lists = new Map<string | undefined, number>();
    const figures = await measurePages(sampleFolder('leap-edge'), {
      set: 'embedded',
      rounds: 1,
      onList: (account, rows) => lists.set(account, rows),
    });
    const wrong = figures.filter(({ equal }) => !equal).map(({ request }) => request);
    expect(wrong).toEqual([]);
    expect(figures.length).toBeGreaterThan(200);
    expect(lists.get(undefined)).toBeGreaterThan(1_500);
    expect(figures.some(({ pos, expected }) => pos === 1_000 && expected.digests.length > 0)).toBe(true);
  }, 120_000);
});
