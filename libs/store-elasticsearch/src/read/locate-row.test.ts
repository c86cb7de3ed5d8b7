import type { Found, Search, Searcher } from '../client/search';
import { IndexNames } from '../indices/index-names';
import { emptyProgress } from '../indices/progress';
import { type ActionSelection, countRanges } from './locate-row';
import { QueryCaches } from './query-caches';
import { rangesIn } from './range-groups';

const PER_RANGE = 10;
/** More ranges than are counted at once, twice. */
const LAST = 999;

describe('the counts of ranges', () => {
  it('are those of all ranges, in their order, however many there are', async () => {
    const names = new IndexNames('counts');
    const progress = { ...emptyProgress(PER_RANGE), first_block_num: 0, clean_up_to: LAST };
    const blocks = { first: 0, last: LAST };
    // The first block of a range is the last part of the name of its index.
    const rowsIn = ({ index }: Search): Found => ({
      hits: [],
      total: 1 + Number(index.split('-').at(-1)),
      aggregations: {},
    });
    const searchAll = (searches: readonly Search[]): Promise<Found[]> => Promise.resolve(searches.map(rowsIn));
    const state = { searcher: { searchAll } as unknown as Searcher, names, progress, caches: new QueryCaches() };
    const selection: ActionSelection = {
      scope: { blocks, sequences: { start: 0, end: Infinity } },
      filters: [],
      order: 'asc',
    };
    const ranges = rangesIn(blocks, state);
    expect(ranges).toHaveLength(100);
    expect(await countRanges(state, selection, ranges)).toEqual(ranges.map((part) => ({ part, rows: 1 + part.first })));
  });
});
