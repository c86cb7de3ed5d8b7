import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlockRecords } from '@antelope-history/records';
import { blockPlan } from './block-plans';
import { Comparison } from './comparison';
import { EVERY_ACTION } from './every-action';
import type { HistoryStore } from './join-store';
import { ModelHistory } from './model-history';
import { storedTransactionsOf } from './model-rows';
import type { StoreContract } from './store-under-test';
import { SyntheticChain } from './synthetic-chain';
import { timeLimit, withStore } from './with-store';

const SEED = 11;
const BLOCKS = 26;
/** Blocks above the last irreversible one: the newest parts of the chain can still be replaced. */
const REVERSIBLE = 8;
const FORK_DEPTH = 5;
/** Hex digits of a transaction id, whole and cut. */
const ID_LENGTHS = [8, 15, 16, 17, 64];

/** A chain in many parts, most of which no fork can reach: every result is that of the undivided chain. */
export function describeDividedChains(contract: StoreContract): void {
  const { divided = [], size } = contract;
  if (divided.length === 0) return;
  describe.each(divided)('a chain in many parts, divided by $by', ({ open }) => {
    const answersRight = async (): Promise<void> => {
      const plans = fc.array(blockPlan, { minLength: BLOCKS, maxLength: BLOCKS });
      const runs = Math.max(1, Math.floor(size.chains / 4));
      for (const [index, each] of fc.sample(plans, { numRuns: runs, seed: SEED }).entries()) {
        await withStore({ open }, async ({ store, settled }) => {
          const model = new ModelHistory();
          const blocks = chainOf(each);
          for (const some of blocks) {
            await store.writeBlocks(some);
            await model.writeBlocks(some);
            // Also while the newest parts are added to what the store knows of the old ones.
            await compare(store, model, size.queriesPerStep, index);
          }
          await settled?.();
          expect(await compare(store, model, size.queriesPerRecording, SEED + index)).toBeGreaterThan(
            size.queriesPerRecording,
          );
        });
      }
    };
    it('answers as one chain', answersRight, timeLimit(contract, 120_000));
  });
}

/** Writes of a chain that grows in steps, and forks once near its end. */
function chainOf(plans: Parameters<SyntheticChain['blocks']>[1]): BlockRecords[][] {
  const chain = new SyntheticChain();
  const writes: BlockRecords[][] = [];
  let branch: BlockRecords[] = [];
  for (let start = 0; start < plans.length; start += FORK_DEPTH) {
    const irreversible = branch.at(-REVERSIBLE)?.position;
    const some = chain.blocks(branch.at(-1), plans.slice(start, start + FORK_DEPTH), irreversible);
    writes.push(some);
    branch = [...branch, ...some];
  }
  branch = branch.slice(0, -FORK_DEPTH);
  writes.push(chain.blocks(branch.at(-1), plans.slice(0, FORK_DEPTH), branch.at(-REVERSIBLE)?.position));
  return writes;
}

/** Compares generated queries, lists of every account from all sides, and all transactions; returns the number of results. */
async function compare(store: HistoryStore, model: ModelHistory, queries: number, seed: number): Promise<number> {
  const comparison = new Comparison(store, model);
  await comparison.status();
  await comparison.sampledActions(queries, seed);
  const rows = model.historyBlocks.flatMap((block) => storedTransactionsOf(block));
  for (const account of ['alice', 'a.b', 'nobody.here']) {
    for (const order of ['asc', 'desc'] as const) {
      for (const skip of [0, 7, 60]) {
        await comparison.actions({ ...EVERY_ACTION, account, order, skip, limit: 5 });
        await comparison.actions({ ...EVERY_ACTION, account, order, skip, limit: 5, filters: [{ name: 'issue' }] });
      }
      await comparison.actions({ ...EVERY_ACTION, account, order, limit: 40, window: 'newest' });
    }
    await comparison.tracesOf(account, { skip: 20, limit: 10, window: 'skip' });
  }
  for (const [index, { id }] of rows.entries()) {
    await comparison.transaction(id.slice(0, ID_LENGTHS[index % ID_LENGTHS.length]));
  }
  for (const length of ID_LENGTHS) await comparison.transaction('0'.repeat(length));
  return comparison.asked;
}
