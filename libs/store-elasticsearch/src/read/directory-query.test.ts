import type { Searcher } from '../client/search';
import { type DirectoryEntry, MAX_ACTION_COUNTS, WHOLE_CHAIN } from '../indices/directory';
import { IndexNames } from '../indices/index-names';
import { emptyProgress } from '../indices/progress';
import { directoryKeyOf, findRanges, findTraces, placesOfTransaction } from './directory-query';
import { QueryCaches } from './query-caches';
import type { QueryState } from './query-state';

describe('the key of a list in the directory', () => {
  const ping = { account: 'busy', name: 'ping' };

  it('is the account, and counts the list unless there are conditions that it does not count', () => {
    expect(directoryKeyOf('alice', [ping], false)).toEqual({ accounts: ['alice'], filters: [ping], isExact: true });
    expect(directoryKeyOf('alice', [], true).isExact).toBe(false);
  });

  it('is the contracts of the filters if every filter has one, and they are few', () => {
    const filters = [ping, { account: 'rare' }, { account: 'busy', name: 'pong' }];
    expect(directoryKeyOf(undefined, filters, false)).toEqual({ accounts: ['busy', 'rare'], filters, isExact: true });
    const many = Array.from({ length: 9 }, (_, index) => ({ account: `c${index}` }));
    expect(directoryKeyOf(undefined, many, false)).toEqual({ accounts: [WHOLE_CHAIN], filters: [], isExact: false });
  });

  it('is the whole chain otherwise', () => {
    expect(directoryKeyOf(undefined, [], false)).toEqual({ accounts: [WHOLE_CHAIN], filters: [], isExact: true });
    expect(directoryKeyOf(undefined, [ping, { name: 'pong' }], false).isExact).toBe(false);
  });
});

/** A query of a store whose history begins in the middle of the range 200, and whose directory covers the ranges to 400. */
function stateWith(client: object, hits: object[] = []): QueryState {
  const progress = { ...emptyProgress(100), first_block_num: 250, directory: { rewrites: 0, to: 500 } };
  const searcher = { client, search: () => Promise.resolve({ hits }) } as unknown as Searcher;
  return { searcher, names: new IndexNames('directory'), progress, caches: new QueryCaches() };
}

/** The same with these entries of accounts. */
function stateOf(entries: Record<string, Partial<DirectoryEntry>[]>): QueryState {
  const ask = ({ docs }: { docs: { _index: string; _id: string }[] }) =>
    Promise.resolve({
      docs: docs.map((doc) => ({ ...doc, found: doc._id in entries, _source: { ranges: entries[doc._id] ?? [] } })),
    });
  return stateWith({ mget: ask });
}

describe('the rows of a list in the ranges of the directory', () => {
  const filters = [{ account: 'busy', name: 'ping' }, { account: 'rare' }];
  const counted = { range: 200, rows: 9, actions: { 'busy:ping': 3, 'busy:pong': 4, 'rare:ping': 2 } };

  it('are those of all contracts of the filters, and each counts its own actions only', async () => {
    const ofRare = { range: 200, rows: 6, actions: { 'rare:pong': 5, 'busy:ping': 1 } };
    const state = stateOf({ busy: [counted], rare: [ofRare, { ...ofRare, range: 300 }] });
    expect(await findRanges(state, directoryKeyOf(undefined, filters, false))).toEqual({
      ranges: [
        { range: 200, rows: 3 + 5 },
        { range: 300, rows: 5 },
      ],
      isExact: true,
    });
  });

  it('are the actions of an account by any contract that matches', async () => {
    const { ranges } = await findRanges(stateOf({ busy: [counted] }), directoryKeyOf('busy', filters, false));
    expect(ranges).toEqual([{ range: 200, rows: 3 + 2 }]);
  });

  it(`are upper limits when an account has more than ${MAX_ACTION_COUNTS} distinct actions in one of them`, async () => {
    const state = stateOf({ busy: [counted, { range: 300, rows: 9 }, { ...counted, range: 400 }] });
    expect(await findRanges(state, directoryKeyOf('busy', filters, false))).toEqual({
      ranges: [
        { range: 200, rows: 5 },
        { range: 300, rows: 9 },
        { range: 400, rows: 5 },
      ],
      isExact: false,
    });
  });

  it('are not taken for those of the same list with further conditions, which they limit only', async () => {
    const state = stateOf({ busy: [counted] });
    for (const narrowed of [false, true, false]) {
      const found = await findRanges(state, directoryKeyOf('busy', filters, narrowed));
      expect(found).toEqual({ ranges: [{ range: 200, rows: 5 }], isExact: !narrowed });
    }
  });

  it('are not taken for those of another list that was read before', async () => {
    const rare = { range: 200, rows: 1, traces: 7, actions: { 'rare:ping': 1 } };
    const state = stateOf({ busy: [{ ...counted, traces: 20 }], rare: [rare] });
    const rowsOf = async (account: string, name?: string) => {
      const { ranges } = await findRanges(state, directoryKeyOf(account, name ? [{ name }] : [], false));
      return ranges.map(({ rows }) => rows);
    };
    for (let turn = 0; turn < 2; turn++) {
      expect([await rowsOf('busy'), await rowsOf('busy', 'ping'), await rowsOf('busy', 'pong')]).toEqual([
        [9],
        [5],
        [4],
      ]);
      expect([await rowsOf('rare'), await rowsOf('rare', 'ping')]).toEqual([[1], [1]]);
      expect([await findTraces(state, 'busy'), await findTraces(state, 'rare')]).toEqual([
        [{ range: 200, rows: 20 }],
        [{ range: 200, rows: 7 }],
      ]);
    }
  });

  it('leave out ranges below the history and those that are not complete yet', async () => {
    const ranges = [100, 200, 400, 500].map((range) => ({ range, rows: 2, traces: 3 }));
    const found = await findRanges(stateOf({ busy: ranges }), directoryKeyOf('busy', [], false));
    expect(found.ranges.map(({ range }) => range)).toEqual([200, 400]);
    expect(await findTraces(stateOf({ busy: ranges }), 'busy')).toEqual([
      { range: 200, rows: 3 },
      { range: 400, rows: 3 },
    ]);
  });
});

describe('the places of a transaction', () => {
  const hits = (count: number): object[] => Array.from({ length: count }, () => ({ fields: { range: [300] } }));

  it('are unknown when a search may not have returned all of them', async () => {
    expect(await placesOfTransaction(stateWith({}, hits(99)), '0123456789')).toHaveLength(99);
    expect(await placesOfTransaction(stateWith({}, hits(100)), '0123456789')).toBeUndefined();
  });
});
