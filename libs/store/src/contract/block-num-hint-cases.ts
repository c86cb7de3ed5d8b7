import { describe, expect, it } from '@jest/globals';
import type { BlockRecords, TransactionRecord } from '@antelope-history/records';
import { Comparison } from './comparison';
import { ModelHistory } from './model-history';
import { storedTransactionsOf } from './model-rows';
import type { ActionPlan } from './packed-action';
import type { StoreContract } from './store-under-test';
import { EMPTY_BLOCK, SyntheticChain } from './synthetic-chain';
import { withStore } from './with-store';

const ACTION: ActionPlan = {
  account: 'timer',
  name: 'tick',
  actor: 'timer',
  notified: [],
  creatorDistance: 0,
  dataBytes: 8,
};
const BLOCKS = 6;

/** Transactions by id and block number: an id that two blocks have, and hints that are wrong. */
export function describeBlockNumHints(contract: StoreContract): void {
  describe('block number hints', () => {
    it('select one of several transactions with the same id, and never hide the only one', () =>
      withStore(contract, async ({ store }) => {
        const blocks = withRepeatedId();
        const model = new ModelHistory();
        await store.writeBlocks(blocks);
        await model.writeBlocks(blocks);
        const comparison = new Comparison(store, model);
        const ids = new Set(blocks.flatMap((block) => storedTransactionsOf(block).map(({ id }) => id)));
        const numbers = blocks.map(({ position }) => position.num);
        for (const id of [...ids, 'f'.repeat(64)]) {
          for (const hint of [undefined, 0, ...numbers, 4_294_967_295]) {
            await comparison.transaction(id, hint);
            await comparison.transaction(id.slice(0, 63), hint);
          }
        }
        const repeated = storedTransactionsOf(blocks[1] as BlockRecords)[0]?.id ?? '';
        const [first, last] = [numbers[1], numbers[4]];
        expect(await store.getTransaction(repeated, last)).toMatchObject({ transaction: { blockNum: last } });
        expect(await store.getTransaction(repeated)).toMatchObject({ transaction: { blockNum: first } });
      }));
  });

  describe('ids of transactions', () => {
    it('are told apart where they share most of their digits', () =>
      withStore(contract, async ({ store }) => {
        const blocks = withSimilarIds();
        const model = new ModelHistory();
        await store.writeBlocks(blocks);
        await model.writeBlocks(blocks);
        const comparison = new Comparison(store, model);
        const similar = storedTransactionsOf(blocks[4] as BlockRecords)[0]?.id ?? '';
        const ids = blocks.flatMap((block) => storedTransactionsOf(block).map(({ id }) => id));
        for (const id of [...ids, `${similar.slice(0, SHARED_DIGITS)}${'f'.repeat(64 - SHARED_DIGITS)}`]) {
          for (const digits of [8, 16, 31, 32, 33, SHARED_DIGITS, SHARED_DIGITS + 1, 63, 64]) {
            await comparison.transaction(id.slice(0, digits));
            await comparison.transaction(id.slice(0, digits), blocks[4]?.position.num);
          }
        }
        const { found } = await store.getTransaction(similar.slice(0, SHARED_DIGITS));
        expect([found, (await store.getTransaction(similar)).found]).toEqual(['several', 'one']);
      }));

    it.each([3, 4])('are found beside an id that three blocks have, the last of them block %d', (last) =>
      withStore(contract, async ({ store }) => {
        const blocks = withTwoIdsOfOnePrefix(last);
        const model = new ModelHistory();
        await store.writeBlocks(blocks);
        await model.writeBlocks(blocks);
        const comparison = new Comparison(store, model);
        const [repeated, other] = [blocks[1], blocks[4]].map((block) =>
          storedTransactionsOf(block as BlockRecords).map(({ id }) => id),
        ) as [string[], string[]];
        for (const id of [repeated[0] ?? '', other[1] ?? ''])
          for (const digits of [8, 9, 64]) await comparison.transaction(id.slice(0, digits));
        expect((await store.getTransaction(other[1]?.slice(0, 8) ?? '')).found).toBe('several');
      }),
    );
  });
}

/** More than any store indexes. */
const SHARED_DIGITS = 40;

/** Consecutive blocks of which the second and the fifth have transactions whose ids differ after `SHARED_DIGITS` only. */
function withSimilarIds(): BlockRecords[] {
  return replaceId((id) =>
    Buffer.concat([id.subarray(0, SHARED_DIGITS / 2), Buffer.alloc(32 - SHARED_DIGITS / 2, 0xa5)]),
  );
}

/** Consecutive blocks of which the second and the fifth have a transaction with the same id. */
function withRepeatedId(): BlockRecords[] {
  return replaceId((id) => id);
}

/**
 * Consecutive blocks: the second, the third and another one have the same id, with which the second transaction of the fifth shares its
 * first eight digits only. `last`: the index of that other block.
 */
function withTwoIdsOfOnePrefix(last: number): BlockRecords[] {
  const blocks = plainBlocks();
  const id = blocks[1]?.transactions[0]?.id as Buffer;
  const other = Buffer.concat([id.subarray(0, 4), Buffer.alloc(28, (id[4] as number) ^ 0xff)]);
  return blocks.map((block, index) => {
    const [first, second] = block.transactions as [TransactionRecord, TransactionRecord];
    const isRepeated = index === 2 || index === last;
    return {
      ...block,
      transactions: [isRepeated ? { ...first, id } : first, index === 4 ? { ...second, id: other } : second],
    };
  });
}

/** Consecutive blocks; the first transaction of the fifth has an id that is made of that of the second block's. */
function replaceId(make: (id: Buffer) => Buffer): BlockRecords[] {
  const blocks = plainBlocks();
  const id = make(blocks[1]?.transactions[0]?.id as Buffer);
  return blocks.map((block, index) => {
    if (index !== 4) return block;
    return { ...block, transactions: block.transactions.map((each, at) => (at === 0 ? { ...each, id } : each)) };
  });
}

function plainBlocks(): BlockRecords[] {
  const plan = { ...EMPTY_BLOCK, transactions: [[ACTION], [ACTION, ACTION]] };
  return new SyntheticChain().blocks(undefined, Array<typeof plan>(BLOCKS).fill(plan));
}
