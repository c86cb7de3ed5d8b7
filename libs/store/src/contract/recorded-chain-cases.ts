import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BlockRecords } from '@antelope-history/records';
import fc from 'fast-check';
import type { HistoryWriter } from '../history-store';
import { Comparison } from './comparison';
import { ModelHistory } from './model-history';
import { storedTransactionsOf } from './model-rows';
import { recordedBlocks } from './recorded-blocks';
import type { RecordedChain, StoreContract, StoreUnderTest } from './store-under-test';
import { openUnderTest, timeLimit, withStore } from './with-store';

const SEED = 20_260_729;

/** A recorded chain, written as received, is equal to its model. */
export function describeRecordedChain(contract: StoreContract, chain: RecordedChain): void {
  describe(`the recording ${chain.name}`, () => {
    const { queriesPerBatch, queriesPerRecording, recordedStride } = contract.size;
    const some = <Item>(items: readonly Item[]): Item[] => items.filter((_, index) => index % recordedStride === 0);
    let blocks: BlockRecords[];
    let filled: StoreUnderTest;
    const model = new ModelHistory();
    beforeAll(
      async () => {
        blocks = recordedBlocks(chain);
        filled = await openUnderTest(contract);
        for (const batch of inBatches(blocks, SEED)) await writeBoth(filled.store, model, batch);
      },
      timeLimit(contract, 180_000),
    );
    afterAll(() => filled.dispose());

    /** Runs `body`, which changes nothing, on a store that holds the whole chain. */
    const withChain = (body: (under: StoreUnderTest) => Promise<void>) => () => body(filled);

    it('equals the model after each batch and each undone fork', () =>
      withStore(contract, async ({ store }) => {
        const growing = new ModelHistory();
        const comparison = new Comparison(store, growing);
        for (const [index, batch] of inBatches(blocks, SEED + 1).entries()) {
          await writeBoth(store, growing, batch);
          await comparison.status();
          await comparison.progress(store);
          await comparison.sampledActions(queriesPerBatch, SEED + index);
          await comparison.block('latest');
          await comparison.permissionsOf(batch);
          await comparison.abisOf(some(batch));
          await comparison.transaction(idsOf(batch).at(-1) ?? '0'.repeat(64));
        }
        expect(comparison.asked).toBeGreaterThan(queriesPerBatch);
      }));

    it(
      'finds actions by every form of query',
      withChain(async ({ store }) => {
        await new Comparison(store, model).sampledActions(queriesPerRecording, SEED);
      }),
    );

    it(
      'finds transactions by id and prefix, and none that only an orphaned block had',
      withChain(async ({ store }) => {
        const comparison = new Comparison(store, model);
        const committed = new Set(idsOf(model.committedBlocks));
        const orphaned = idsOf(blocks).filter((id) => !committed.has(id));
        for (const [index, id] of [...some([...committed]), ...orphaned].entries()) {
          await comparison.transaction(id);
          await comparison.transaction(id, blocks[index % blocks.length]?.position.num);
          await comparison.transaction(id.slice(0, 8 + (index % 56)));
        }
        for (const id of orphaned) expect(await store.getTransaction(id)).toMatchObject({ found: 'none' });
      }),
    );

    it(
      'finds blocks by number, by id and the latest, with all traces',
      withChain(async ({ store }) => {
        const comparison = new Comparison(store, model);
        for (const { position } of some([...new Set(blocks)])) {
          await comparison.block({ num: position.num });
          await comparison.block({ id: position.id });
        }
        await comparison.block('latest');
        await comparison.block({ num: (blocks.at(-1)?.position.num ?? 0) + 1 });
        await comparison.block({ num: 0 });
        await comparison.block({ id: '0'.repeat(64) });
      }),
    );

    it(
      'finds the ABI in force at every action',
      withChain(async ({ store }) => {
        const comparison = new Comparison(store, model);
        await comparison.abisOf(some(model.committedBlocks));
        await comparison.abis([{ account: 'nobody.here', blockNum: 100, sequence: 1 }]);
      }),
    );

    it(
      'finds the accounts of every key and actor',
      withChain(async ({ store }) => {
        const comparison = new Comparison(store, model);
        await comparison.permissionsOf(blocks);
        await comparison.keyAccounts(Buffer.alloc(34, 7));
        await comparison.controlledAccounts('nobody.here');
        await comparison.account('nobody.here');
        await comparison.account('eosi');
      }),
    );

    it(
      'equals the model after it was reopened',
      withChain(async (under) => {
        const store = await under.restart();
        filled = { ...under, store };
        const comparison = new Comparison(store, model);
        await comparison.status();
        await comparison.progress(store);
        await comparison.sampledActions(queriesPerBatch, SEED);
      }),
    );
  });
}

async function writeBoth(store: HistoryWriter, model: ModelHistory, batch: BlockRecords[]): Promise<void> {
  await store.writeBlocks(batch);
  await model.writeBlocks(batch);
}

function inBatches(blocks: readonly BlockRecords[], seed: number): BlockRecords[][] {
  const sizes = fc.sample(fc.integer({ min: 1, max: 40 }), { numRuns: blocks.length, seed });
  const batches: BlockRecords[][] = [];
  for (let start = 0; start < blocks.length;) {
    const size = sizes[batches.length] ?? 1;
    batches.push(blocks.slice(start, start + size));
    start += size;
  }
  return batches;
}

function idsOf(blocks: readonly BlockRecords[]): string[] {
  return blocks.flatMap((block) => storedTransactionsOf(block).map(({ id }) => id));
}
