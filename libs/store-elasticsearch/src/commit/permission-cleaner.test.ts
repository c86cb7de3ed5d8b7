import type { Search, Searcher } from '../client/search';
import { IndexNames } from '../indices/index-names';
import type { BulkWriter } from '../write/bulk-writer';
import { PermissionCleaner } from './permission-cleaner';

describe('the cleaning of permissions', () => {
  it('goes on when a store that was restored has passed the blocks that were cleaned before', async () => {
    const examined: unknown[] = [];
    const searcher = {
      search: ({ filters }: Search) => {
        examined.push(filters);
        return Promise.resolve({ hits: [] });
      },
      searchAll: () => Promise.resolve([]),
    } as unknown as Searcher;
    const cleaner = new PermissionCleaner(new IndexNames('test'), searcher, {} as unknown as BulkWriter, 0);
    for (const committedUpTo of [1_000, 1_100, 50, 1_200]) await cleaner.clean(committedUpTo);
    expect(examined).toEqual([
      [{ range: { block_num: { gt: 1_000, lte: 1_100 } } }],
      [{ range: { block_num: { gt: 1_100, lte: 1_200 } } }],
    ]);
  });
});
