import { isDeepStrictEqual } from 'node:util';
import type { ActionEntry, BlockRecords, PartialTransaction, TransactionRecord } from '@antelope-history/records';
import fc from 'fast-check';
import { sequenceKey } from './keys';
import { type EncodedPage, encodePages, PAGE_BYTES, TracePage, type PagedTransaction } from './trace-page';

const partial: fc.Arbitrary<PartialTransaction> = fc.record(
  {
    id: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    expiration: fc.nat(0xffffffff),
    refBlockNum: fc.nat(0xffff),
    refBlockPrefix: fc.nat(0xffffffff),
    maxNetUsageWords: fc.nat(0xffffffff),
    maxCpuUsageMs: fc.nat(255),
    delaySec: fc.nat(0xffffffff),
    signatures: fc.array(
      fc.uint8Array({ maxLength: 66, size: 'max' }).map((bytes) => Buffer.from(bytes)),
      { maxLength: 3 },
    ),
  },
  { noNullPrototype: true },
);

/** Sizes at which the estimated fill of a page is slightly above or below the real one. */
const transactionPlan = fc.record({
  actions: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 200, max: 700 })),
  bytes: fc.oneof(
    fc.constantFrom(100, 126, 127, 128, 129, 200),
    fc.nat(300),
    fc.constantFrom(PAGE_BYTES, 3 * PAGE_BYTES),
  ),
  unused: fc.nat(3),
  status: fc.nat(4),
  cpuUsageUs: fc.nat(0xffffffff),
  netUsageWords: fc.nat(0xffffffff),
  receiptIndex: fc.integer({ min: -1, max: 70_000 }),
  partial: fc.option(partial, { nil: undefined }),
});

const transactions = fc.array(transactionPlan, { maxLength: 6 }).map((plans) => {
  let sequence = 2 ** 33;
  return plans.map(({ actions, bytes, unused, ...facts }, index): TransactionRecord => {
    const firstSequence = sequence;
    // Two huge records suffice; more only take time.
    const count = bytes >= PAGE_BYTES ? Math.min(actions, 2) : actions;
    const entries = Array.from({ length: count }, (_, index) => entryOf(firstSequence + index * (unused + 1), bytes));
    sequence += count * (unused + 1);
    const id = Buffer.alloc(32, index + 1);
    return { ...facts, id, firstSequence, sequenceCount: sequence - firstSequence, actions: entries };
  });
});

function entryOf(sequence: number, bytes: number): ActionEntry {
  const record = Buffer.alloc(bytes, sequence & 0xff);
  return { sequence, account: 'alice', name: 'ping', root: true, accounts: ['alice'], bytes: record };
}

function blockOf(all: TransactionRecord[]): BlockRecords {
  const position = { num: 4_000_000_000, id: 'ab'.repeat(32) };
  return {
    chainId: undefined,
    streamPosition: { epoch: 0, sequence: 0 },
    head: position,
    lastIrreversible: position,
    position,
    previous: undefined,
    block: Buffer.alloc(0),
    timestamp: 1_700_000_000,
    generation: 'eosio-2.1+',
    hasTraces: true,
    actionRoot: undefined,
    rootSequences: [],
    transactions: all,
    abiChanges: [],
    permissionChanges: [],
  };
}

const open = ({ firstSequence, bytes }: EncodedPage): TracePage =>
  TracePage.open({ key: sequenceKey(firstSequence), value: bytes });

describe('pages of traces', () => {
  it('hold a whole block, with at most one part of a transaction each', () => {
    fc.assert(
      fc.property(transactions, (all) => {
        const pages = encodePages(blockOf(all)).map((encoded) => ({ ...encoded, page: open(encoded) }));
        const parts = pages.flatMap(({ page }) => page.transactions);
        // The matcher takes minutes for so many actions.
        expect(isDeepStrictEqual(joined(parts), all.map(contentsOf))).toBe(true);
        for (const { firstSequence, page } of pages) {
          expect(page).toMatchObject({ blockNum: 4_000_000_000, blockId: 'ab'.repeat(32), timestamp: 1_700_000_000 });
          expect(page.transactions[0]?.actions[0]?.sequence).toBe(firstSequence);
          expect(new Set(page.transactions.map(({ record }) => record.firstSequence)).size).toBe(
            page.transactions.length,
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  it('find each of their actions', () => {
    fc.assert(
      fc.property(transactions, (all) => {
        for (const encoded of encodePages(blockOf(all))) {
          const page = open(encoded);
          const missed = page.transactions.flatMap((transaction) =>
            transaction.actions.filter(({ sequence }) => page.transactionOf(sequence) !== transaction),
          );
          expect(missed).toEqual([]);
          expect(page.transactionOf(0)).toBeUndefined();
          expect(page.transactionOf(2 ** 50)).toBeUndefined();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('exceed the page size by less than one record', () => {
    fc.assert(
      fc.property(transactions, (all) => {
        const largest = Math.max(0, ...all.flatMap(({ actions }) => actions.map(({ bytes }) => bytes.length)));
        for (const { bytes } of encodePages(blockOf(all))) {
          expect(bytes.length).toBeLessThan(PAGE_BYTES + largest + 1_024);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function contentsOf({ actions, ...record }: TransactionRecord): Pick<PagedTransaction, 'record' | 'actions'> {
  return { record, actions: actions.map(({ sequence, bytes }) => ({ sequence, bytes })) };
}

function joined(parts: PagedTransaction[]): Pick<PagedTransaction, 'record' | 'actions'>[] {
  const whole: Pick<PagedTransaction, 'record' | 'actions'>[] = [];
  for (const { continued, record, actions } of parts) {
    if (continued) whole.at(-1)?.actions.push(...actions);
    else whole.push({ record, actions: [...actions] });
  }
  return whole;
}
