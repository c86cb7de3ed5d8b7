import fc from 'fast-check';
import type { ListedTransaction } from '../indices/block-execution';
import { groupTransactions, MAX_SEQUENCES, MAX_TRANSACTIONS } from './transaction-groups';

const RANGE = 40;

/** Transactions with ascending sequences; some have none, some have too many, and between some are sequences of others. */
const chain = fc
  .array(
    fc.record({
      id: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
      gap: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(2 * MAX_SEQUENCES)),
      sequenceCount: fc.oneof({ weight: 5, arbitrary: fc.nat(12) }, fc.nat(3 * MAX_SEQUENCES)),
    }),
    { maxLength: 60, size: 'max' },
  )
  .map((steps) => {
    let next = 1_000;
    return steps.map(({ id, gap, sequenceCount }): ListedTransaction => {
      const firstSequence = next + gap;
      next = firstSequence + sequenceCount;
      return { id, firstSequence, sequenceCount };
    });
  });

describe('groups of transactions', () => {
  it('have each transaction once, in order, and all its sequences', () => {
    fc.assert(
      fc.property(chain, (transactions) => {
        let position = 0;
        for (const { range, ids, first_sequence: start, sequence_count: count } of groupTransactions(
          RANGE,
          transactions,
        )) {
          const members = transactions.slice(position, position + ids.length);
          position += ids.length;
          expect(range).toBe(RANGE);
          expect(ids).toEqual(members.map(({ id }) => id.toString('hex').slice(0, 16)));
          expect(ids.length).toBeLessThanOrEqual(MAX_TRANSACTIONS);
          const own = members.filter(({ sequenceCount }) => sequenceCount > 0);
          const ends = own.map(({ firstSequence, sequenceCount }) => firstSequence + sequenceCount);
          const width = Math.max(...ends) - (own[0]?.firstSequence ?? 0);
          if (own.length === 0 || width > MAX_SEQUENCES) {
            expect([start, count]).toEqual([undefined, undefined]);
            expect(own.length).toBeLessThanOrEqual(1);
          } else expect([start, count]).toEqual([own[0]?.firstSequence, width]);
        }
        expect(position).toBe(transactions.length);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('are as full as they may be', () => {
    const transactions = Array.from({ length: 33 }, (_, index) => ({
      id: Buffer.alloc(32, index),
      firstSequence: 3 * index,
      sequenceCount: 3,
    }));
    const sizes = [...groupTransactions(RANGE, transactions)].map(({ ids }) => ids.length);
    expect(sizes).toEqual([16, 16, 1]);
  });
});
