import fc from 'fast-check';
import { type ActionsPage, type ActionsQuery, type ChainStatus, MAX_PAGE_BYTES } from '@antelope-history/store';
import { EVERY_ACTION } from '@antelope-history/store/contract';
import { DataSearch } from './data-search';
import { every } from '../../test/every-posting';
import type { PageReader } from './page-reader';

const QUERY: ActionsQuery = { ...EVERY_ACTION, limit: 10 };
/** The row of a sequence is the sequence. */
const PAGES = {
  action: (sequence: number) => ({ action: { data: Buffer.alloc(8), traces: [] }, sequence }),
} as never as PageReader;

function statusOf(revision: number, num = 0): ChainStatus {
  return { revision, committed: { num, id: '' } } as ChainStatus;
}

interface Slice {
  step: number;
  start?: number;
  end: number;
  revision: number;
}

/** Runs a search for the multiples of 6 and of `step`; `sliceOf` is asked for what the n-th snapshot has. */
function run(
  query: ActionsQuery,
  sliceSteps: number,
  sliceOf: (index: number) => Slice,
): ActionsPage & { slices: number } {
  const search = new DataSearch(query, { sliceSteps, maxSteps: 1_000_000 });
  for (let index = 0; ; index++) {
    const { step, start = 0, end, revision } = sliceOf(index);
    const page = search.continue([every(6, 0), every(step, 0)], { start, end }, statusOf(revision, index), PAGES);
    if (page) return { ...page, slices: index + 1 };
  }
}

function sequencesOf({ rows }: ActionsPage): number[] {
  return rows.map((row) => (row as never as { sequence: number }).sequence);
}

describe('DataSearch', () => {
  it('finds the same page in slices of any length', () => {
    const query = fc.record({
      order: fc.constantFrom('asc' as const, 'desc' as const),
      window: fc.constantFrom('skip' as const, 'newest' as const),
      skip: fc.nat(40),
      limit: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(query, fc.integer({ min: 1, max: 2_000 }), fc.nat(3_000), (asked, sliceSteps, end) => {
        const all = Array.from({ length: Math.ceil(end / 30) }, (_, index) => index * 30);
        const isReversed = asked.window === 'newest' && asked.order === 'asc';
        if (asked.order === 'desc' || isReversed) all.reverse();
        const expected = all.slice(asked.skip, asked.skip + asked.limit);
        if (isReversed) expected.reverse();
        const page = run({ ...QUERY, ...asked }, sliceSteps, () => ({ step: 10, end, revision: 1 }));
        expect(sequencesOf(page)).toEqual(expected);
        if (!isReversed) expect(page.more).toBe(all.length > asked.skip + asked.limit);
      }),
      { seed: 5 },
    );
  });

  it('keeps the status and the range of its first snapshot while the chain grows', () => {
    const query: ActionsQuery = { ...QUERY, order: 'desc', limit: 1_000 };
    const page = run(query, 20, (index) => ({ step: 10, end: 3_000 + index, revision: 1 }));
    expect(page.slices).toBeGreaterThan(5);
    expect(page.status).toEqual(statusOf(1, 0));
    expect(sequencesOf(page)).toEqual(Array.from({ length: 100 }, (_, index) => 2_970 - index * 30));
  });

  it('begins again after a fork', () => {
    const page = run({ ...QUERY, limit: 1_000 }, 20, (index) =>
      index < 3 ? { step: 10, end: 30_000, revision: 1 } : { step: 35, end: 3_000, revision: 2 },
    );
    expect(page.slices).toBeGreaterThan(6);
    const expected = Array.from({ length: 15 }, (_, index) => index * 210);
    expect([sequencesOf(page), page.status.revision]).toEqual([expected, 2]);
  });

  it('has no actions of blocks that were removed while it ran, and all others', () => {
    const query = fc.record({ order: fc.constantFrom('asc' as const, 'desc' as const), skip: fc.nat(20) });
    const removed = fc.record({ at: fc.nat(30), start: fc.nat(3_000) });
    let begunAgain = 0;
    fc.assert(
      fc.property(query, removed, (asked, { at, start }) => {
        const alone = run({ ...QUERY, ...asked, limit: 1_000 }, 20, () => ({
          step: 10,
          start,
          end: 3_000,
          revision: 1,
        }));
        const page = run({ ...QUERY, ...asked, limit: 1_000 }, 20, (index) => {
          return { step: 10, start: index < at ? 0 : start, end: 3_000, revision: 1 };
        });
        // A search that ended before the removal has what there was.
        if (page.slices <= at) return;
        expect([sequencesOf(page), page.more]).toEqual([sequencesOf(alone), alone.more]);
        if (page.slices > alone.slices + 1) begunAgain++;
      }),
      { seed: 6, numRuns: 300 },
    );
    expect(begunAgain).toBeGreaterThan(20);
  });

  it('says that rows follow a page that ended by its bytes', () => {
    const row = { action: { data: Buffer.alloc(MAX_PAGE_BYTES / 2), traces: [] } };
    const large = { action: () => row } as never as PageReader;
    for (const window of ['skip', 'newest'] as const) {
      const search = new DataSearch({ ...QUERY, window });
      const page = search.continue([every(6, 0), every(10, 0)], { start: 0, end: 91 }, statusOf(1), large);
      expect([page?.rows.length, page?.more]).toEqual([2, true]);
    }
  });

  it('pauses while it skips rows', () => {
    const page = run({ ...QUERY, skip: 900 }, 20, () => ({ step: 6, end: 6_000, revision: 1 }));
    expect(page.slices).toBeGreaterThan(20);
    expect(sequencesOf(page)).toEqual(Array.from({ length: 10 }, (_, index) => (900 + index) * 6));
  });

  it('refuses to search on when too many actions match one of the conditions only', () => {
    const search = new DataSearch(QUERY, { sliceSteps: 10_000, maxSteps: 300_000 });
    const sets = [every(2, 0, 1e9), every(2, 1, 1e9)];
    const slice = (): unknown => search.continue(sets, { start: 0, end: 1e9 }, statusOf(1), PAGES);
    for (let index = 0; index < 29; index++) expect(slice()).toBeUndefined();
    const tooBroad = expect.objectContaining({ code: 'QUERY_TOO_BROAD' }) as Error;
    expect(() => [slice(), slice()]).toThrow(tooBroad);
  });

  it('gives the page that its last steps complete', () => {
    const search = new DataSearch(QUERY, { sliceSteps: 10_000, maxSteps: 1 });
    const page = search.continue([every(6, 0), every(10, 0)], { start: 0, end: 61 }, statusOf(1), PAGES);
    expect(page && sequencesOf(page)).toEqual([0, 30, 60]);
  });
});
