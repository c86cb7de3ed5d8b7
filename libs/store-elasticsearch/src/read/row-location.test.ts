import fc from 'fast-check';
import type { SequenceRange } from '../indices/sequence-range';
import type { Order } from '../indices/found-actions';
import { fromPartOn, narrowToRow, partOfRow, type CountBuckets } from './row-location';

const order = fc.constantFrom<Order>('asc', 'desc');
/** Few or many sequences, close together or far apart. */
const sequences = fc
  .uniqueArray(fc.oneof(fc.nat({ max: 3_000 }), fc.nat({ max: 2 ** 40 })), {
    minLength: 1,
    maxLength: 400,
    size: 'max',
  })
  .map((unsorted) => unsorted.sort((left, right) => left - right));

describe('narrowToRow', () => {
  it('finds a part and the exact distance of the row in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        sequences,
        order,
        fc.nat({ max: 500 }),
        fc.nat({ max: 20 }),
        async (all, by, rank, maxBefore) => {
          const range = { start: all[0]!, end: all.at(-1)! + 1 };
          const row = { part: range, rows: all.length, rowsBefore: rank };
          const located = await narrowToRow(row, by, maxBefore, counting(all));
          if (rank >= all.length) {
            expect(located === undefined || inOrder(all, located.part, by)[located.rowsBefore] === undefined).toBe(
              true,
            );
            return;
          }
          expect(located!.rowsBefore).toBeLessThanOrEqual(maxBefore);
          const rest = inOrder(all, fromPartOn(located!.part, range, by), by).slice(located!.rowsBefore);
          expect(rest).toEqual(inOrder(all, range, by).slice(rank));
        },
      ),
    );
  });

  it.each([1e9, 1e12, 2 ** 49])('counts few times, and little more than the rows before row %d', async (rowsBefore) => {
    const all = { start: 0, end: 2 ** 50 };
    let counts = 0;
    let counted = 0;
    const dense: CountBuckets = async (range, interval) => {
      counts++;
      counted += range.end - range.start;
      const buckets = [];
      for (let key = range.start; key < range.end; key += interval) {
        buckets.push({ key, doc_count: Math.min(interval, range.end - key) });
      }
      return buckets;
    };
    const located = await narrowToRow({ part: all, rows: all.end, rowsBefore }, 'desc', 9_000, dense);
    expect(located!.part.end - located!.rowsBefore).toBe(all.end - rowsBefore);
    expect(counts).toBeLessThanOrEqual(5);
    expect(counted).toBeLessThan(rowsBefore * 2.1);
  });

  it('finds rows that are clustered far from an even spread', async () => {
    const all = [...Array.from({ length: 2_000 }, (_, index) => 2 ** 48 + index), 2 ** 50];
    let counts = 0;
    const count = counting(all);
    const row = { part: { start: 0, end: 2 ** 50 + 1 }, rows: all.length, rowsBefore: 1_000 };
    for (const by of ['asc', 'desc'] as const) {
      const located = await narrowToRow(row, by, 0, (...parts) => {
        counts++;
        return count(...parts);
      });
      expect(inOrder(all, located!.part, by)[0]).toBe(inOrder(all, row.part, by)[1_000]);
    }
    expect(counts).toBeLessThan(30);
  });
});

describe('partOfRow', () => {
  it('skips empty parts, and returns the number of rows when no part has the row', () => {
    const parts = [3, 0, 0, 2].map((rows, part) => ({ part, rows }));
    const found = [0, 2, 3, 4, 5].map((row) => partOfRow(parts, row));
    expect(found).toEqual([
      { part: 0, rows: 3, rowsBefore: 0 },
      { part: 0, rows: 3, rowsBefore: 2 },
      { part: 3, rows: 2, rowsBefore: 0 },
      { part: 3, rows: 2, rowsBefore: 1 },
      { passed: 5 },
    ]);
  });
});

/** Buckets as the server's `histogram`: a key is the highest multiple of the interval, plus the offset, not above the value. */
function counting(all: readonly number[]): CountBuckets {
  return async ({ start, end }, interval, offset) => {
    const counts = new Map<number, number>();
    for (const sequence of all.filter((each) => each >= start && each < end)) {
      const key = Math.floor((sequence - offset) / interval) * interval + offset;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].map(([key, doc_count]) => ({ key, doc_count }));
  };
}

function inOrder(all: readonly number[], { start, end }: SequenceRange, by: Order): number[] {
  const within = all.filter((sequence) => sequence >= start && sequence < end);
  return by === 'asc' ? within : within.reverse();
}
