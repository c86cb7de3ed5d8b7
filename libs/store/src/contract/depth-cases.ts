import { describe, expect, it } from '@jest/globals';
import { type ActionsQuery, MAX_PAGE_BYTES } from '../history-store';
import { Comparison } from './comparison';
import { EVERY_ACTION } from './every-action';
import type { HistoryStore } from './join-store';
import { ModelHistory } from './model-history';
import type { ActionPlan } from './packed-action';
import type { StoreContract } from './store-under-test';
import { type BlockPlan, SyntheticChain } from './synthetic-chain';
import { timeLimit, withStore } from './with-store';

const ACTIONS_PER_BLOCK = 2_000;
/** The longest list is spread over as many blocks, so that an adapter that divides by block numbers divides it. */
const LONG_LIST_BLOCKS = 55;
/** At most one root action in this many actions: whole chunks, shards or pages of a list hold none. */
const ROOT_EVERY = 1_500;
const PAGE = 25;

const LARGE_BYTES = 512 * 1024;

const HOT: ActionPlan = { account: 'hot', name: 'ping', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 8 };

const EVERYTHING: ActionsQuery = { ...EVERY_ACTION, limit: PAGE };

/** Queries of lists and transactions of any length. */
export function describeDepth(contract: StoreContract): void {
  describe('depth', () => {
    const { longList } = contract.size;
    it(
      'finds any page of a very long list',
      () =>
        withStore(contract, async ({ store }) => {
          const model = await fill(store, blocksOf(longList, Math.ceil(longList / LONG_LIST_BLOCKS)));
          const comparison = new Comparison(store, model);
          const skips = [
            0,
            1,
            511,
            512,
            513,
            9_999,
            10_000,
            longList >> 1,
            longList - PAGE,
            longList - 1,
            longList,
            1e9,
          ];
          const filters = [[], [{ account: 'hot' }], [{ name: 'ping' }], [{ account: 'hot', name: 'ping' }]];
          for (const [index, skip] of skips.entries()) {
            const filter = filters[index % filters.length] ?? [];
            await comparison.actions({ ...EVERYTHING, account: 'hot', skip, filters: filter });
            await comparison.actions({ ...EVERYTHING, order: 'desc', skip, filters: filter });
          }
          for (const order of ['asc', 'desc'] as const) {
            await comparison.actions({ ...EVERYTHING, account: 'hot', parent: 'root', order, skip: 30 });
            await comparison.actions({ ...EVERYTHING, parent: 'root', order, limit: 1_000 });
            await comparison.actions({ ...EVERYTHING, account: 'hot', order, window: 'newest', limit: 1_000 });
            await comparison.actions({
              ...EVERYTHING,
              after: { blockNum: 120 },
              before: { blockNum: 140 },
              order,
              skip: Math.floor(longList * 0.3),
            });
          }
          expect(comparison.asked).toBeGreaterThan(30);
        }),
      timeLimit(contract, 60_000),
    );

    it(
      'finds the traces of an account at any position of very long lists',
      () =>
        withStore(contract, async ({ store }) => {
          const plans = notifyingBlocks(longList >> 2);
          const model = await fill(store, plans);
          const actions = plans.flatMap(({ transactions }) => transactions.flat()).length;
          const comparison = new Comparison(store, model);
          const counts = { hot: actions * (NOTIFIED.length + 1), [NOTIFIED[0] as string]: actions };
          for (const [account, count] of Object.entries(counts)) {
            for (const share of [0, 0.001, 0.4, 0.75, 1]) {
              const skip = Math.max(0, Math.floor(count * share) - PAGE + 2);
              await comparison.tracesOf(account, { skip, limit: PAGE, window: 'skip' });
              await comparison.tracesOf(account, { skip, limit: PAGE, window: 'skip' }, { order: 'desc' });
            }
            await comparison.tracesOf(account, { skip: 0, limit: PAGE, window: 'newest' });
          }
          const { rows } = await store.getAccountTraces({
            account: 'hot',
            select: (count) => ({ first: count - 1, last: count }),
          });
          expect(rows.map(({ position }) => position)).toEqual([counts.hot - 1]);
        }),
      timeLimit(contract, 60_000),
    );

    it(
      'numbers the traces of a transaction by their ordinals wherever a page of a long list begins',
      () =>
        withStore(contract, async ({ store }) => {
          const comparison = new Comparison(store, await fill(store, nestedBlocks()));
          for (let skip = 400; skip < 400 + NESTED_ORDINALS.length; skip++) {
            for (const order of ['asc', 'desc'] as const)
              await comparison.tracesOf('hot', { skip, limit: 3, window: 'skip' }, { order });
          }
        }),
      timeLimit(contract, 60_000),
    );

    it(
      'ends a page of traces where large actions fill it',
      () =>
        withStore(contract, async ({ store }) => {
          const model = await fill(store, largeActions());
          const comparison = new Comparison(store, model);
          for (const skip of [0, 30, 60]) {
            await comparison.tracesOf('hot', { skip, limit: 1_000, window: 'skip' });
            await comparison.tracesOf('hot', { skip, limit: 30, window: 'skip' }, { order: 'desc' });
          }
          const page = await store.getAccountTraces({ account: 'hot', select: () => ({ first: 0, last: 999 }) });
          expect({ rows: page.rows.length, more: page.more }).toEqual({
            rows: MAX_PAGE_BYTES / LARGE_BYTES,
            more: true,
          });
          const none = { filters: [{ name: 'never' }], after: undefined, before: undefined, parent: undefined };
          await comparison.tracesOf('hot', { skip: 0, limit: 30, window: 'skip' }, { conditions: none });
          const all = { account: 'hot', select: () => ({ first: 0, last: 69 }) };
          for (const selection of [{ conditions: none }, { order: 'desc' as const }]) {
            await expect(store.getAccountTraces({ ...all, ...selection })).rejects.toMatchObject({
              code: 'QUERY_TOO_BROAD',
            });
          }
        }),
      timeLimit(contract, 60_000),
    );

    it(
      'ends a page where large actions fill it, and continues from there',
      () =>
        withStore(contract, async ({ store }) => {
          const model = await fill(store, largeActions());
          const comparison = new Comparison(store, model);
          for (const order of ['asc', 'desc'] as const) {
            for (const skip of [0, 30, 50]) await comparison.actions({ ...EVERYTHING, order, skip, limit: 1_000 });
          }
          const { rows, more } = await store.getActions({ ...EVERYTHING, limit: 1_000 });
          expect({ rows: rows.length, more }).toEqual({ rows: MAX_PAGE_BYTES / LARGE_BYTES, more: true });
        }),
      timeLimit(contract, 60_000),
    );

    it(
      'undoes a fork in the middle of very long lists',
      () =>
        withStore(contract, async ({ store }) => {
          const chain = new SyntheticChain();
          const trunk = chain.blocks(undefined, blocksOf(20_000));
          const fork = chain.blocks(trunk[2], blocksOf(9_000));
          const model = new ModelHistory();
          for (const batch of [trunk, fork]) {
            await store.writeBlocks(batch);
            await model.writeBlocks(batch);
          }
          const comparison = new Comparison(store, model);
          for (const skip of [0, 2_999, 3_000, 7_499, 7_500, 14_000]) {
            await comparison.actions({ ...EVERYTHING, account: 'hot', skip });
            await comparison.actions({ ...EVERYTHING, parent: 'root', order: 'desc', skip: skip % 7 });
          }
        }),
      timeLimit(contract, 60_000),
    );

    it(
      'returns transactions of many actions completely, whatever surrounds them',
      () =>
        withStore(contract, async ({ store }) => {
          const model = await fill(store, hugeTransactions());
          const comparison = new Comparison(store, model);
          for (const block of model.committedBlocks) {
            await comparison.block({ id: block.position.id });
            for (const { id, firstSequence, sequenceCount } of block.transactions) {
              await comparison.transaction(id.toString('hex'));
              for (const sequence of [firstSequence, firstSequence + 1, firstSequence + sequenceCount - 1]) {
                await comparison.actions({ ...EVERYTHING, parent: { sequence }, limit: 1_000 });
              }
            }
          }
          for (let skip = 0; skip < 12_000; skip += 900)
            await comparison.actions({ ...EVERYTHING, skip, limit: 1_000 });
        }),
      timeLimit(contract, 60_000),
    );
  });
}

/** Writes the plans as a chain and returns its model. */
async function fill(store: HistoryStore, plans: readonly BlockPlan[]): Promise<ModelHistory> {
  const blocks = new SyntheticChain().blocks(undefined, plans);
  for (let start = 0; start < blocks.length; start += 10) await store.writeBlocks(blocks.slice(start, start + 10));
  return ModelHistory.of(blocks);
}

function blocksOf(actions: number, perBlock = ACTIONS_PER_BLOCK): BlockPlan[] {
  const blocks = Math.ceil(actions / perBlock);
  return Array.from({ length: blocks }, (_, block) => {
    const count = Math.min(perBlock, actions - block * perBlock);
    return planOf([transactionOf(Math.min(count, ROOT_EVERY), 8), transactionOf(count - ROOT_EVERY, 8)]);
  });
}

/** Transactions of several actions of `hot`, of which other accounts are notified. */
function notifyingBlocks(actions: number): BlockPlan[] {
  const perTransaction = 40;
  const plan = { ...HOT, notified: NOTIFIED };
  const transaction = Array.from({ length: perTransaction }, (_, index) => ({ ...plan, creatorDistance: index && 1 }));
  const perBlock = Math.ceil(actions / perTransaction / LONG_LIST_BLOCKS);
  return Array.from({ length: LONG_LIST_BLOCKS }, () => planOf(Array.from({ length: perBlock }, () => transaction)));
}

const NOTIFIED = ['cold', 'mild'];

/** In the order of execution: the second action creates the one that is executed next, and the first one creates the last. */
const NESTED_ORDINALS = [1, 2, 4, 3];

function nestedBlocks(): BlockPlan[] {
  const transaction = NESTED_ORDINALS.map((ordinal, index) => ({
    ...HOT,
    ordinal,
    creatorDistance: Math.min(2, index),
  }));
  return Array.from({ length: 6 }, () => planOf(Array.from({ length: 50 }, () => transaction)));
}

/** Sizes at which a page of records may end before, in and after a transaction. */
function hugeTransactions(): BlockPlan[] {
  const sizes = [0, 60, 75, 90, 130, 300];
  return sizes.map((dataBytes) =>
    planOf([transactionOf(1, 8), transactionOf(700, dataBytes), transactionOf(2, 8), transactionOf(1_200, dataBytes)]),
  );
}

function planOf(transactions: ActionPlan[][]): BlockPlan {
  return { transactions: transactions.filter(({ length }) => length > 0), abis: [], permissions: [] };
}

/** A root action and the actions that it created. */
function transactionOf(actions: number, dataBytes: number): ActionPlan[] {
  return Array.from({ length: Math.max(0, actions) }, (_, index) => ({ ...HOT, dataBytes, creatorDistance: index }));
}

/** More than two pages of them. */
function largeActions(): BlockPlan[] {
  return Array.from({ length: 70 }, () => planOf([transactionOf(1, LARGE_BYTES)]));
}
