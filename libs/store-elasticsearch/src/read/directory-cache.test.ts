import { emptyProgress } from '../indices/progress';
import { DirectoryCache } from './directory-cache';

/** A progress with a directory of the blocks from `first` to below `to`. */
function progressWith({ first = 1, to = 500, rewrites = 0 } = {}) {
  return { ...emptyProgress(100), first_block_num: first, rewrites, directory: { rewrites, to } };
}

describe('the cache of the directory', () => {
  const found = { ranges: [{ range: 100, rows: 7 }], isExact: true };

  it('finds a list until the directory covers other blocks, or is another one', () => {
    const cache = new DirectoryCache();
    cache.keep('list', found, progressWith());
    expect(cache.find('list', progressWith())).toBe(found);
    expect(cache.find('other', progressWith())).toBeUndefined();
    for (const change of [{ to: 600 }, { to: 400 }, { first: 2 }, { rewrites: 1 }]) {
      expect({ change, found: cache.find('list', progressWith(change)) }).toEqual({ change, found: undefined });
    }
    expect(cache.find('list', { ...progressWith(), directory: { rewrites: 1, to: 500 } })).toBeUndefined();
  });

  it('is bounded by the size of its entries', () => {
    const cache = new DirectoryCache();
    const long = { ranges: Array.from({ length: 10_000 }, (_, range) => ({ range, rows: 1 })), isExact: true };
    const lists = Array.from({ length: 100 }, (_, index) => `list ${index}`);
    for (const list of lists) cache.keep(list, long, progressWith());
    const kept = lists.filter((list) => cache.find(list, progressWith()));
    expect(kept.length).toBeGreaterThan(30);
    expect(kept.length).toBeLessThan(45);
    expect(kept.at(-1)).toBe(lists.at(-1));
    cache.keep('x'.repeat(10_000_000), found, progressWith());
    expect(cache.find('x'.repeat(10_000_000), progressWith())).toBeUndefined();
  });
});
