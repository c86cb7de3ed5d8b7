import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlockRecords } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import { blockPlan } from './block-plans';
import { Comparison } from './comparison';
import type { HistoryStore } from './join-store';
import { listFaults } from './list-faults';
import { ModelHistory } from './model-history';
import type { StoreContract, StoreUnderTest } from './store-under-test';
import { type BlockPlan, SyntheticChain } from './synthetic-chain';
import { timeLimit, withStore } from './with-store';

const SEED = 97;
/** Before the time limit, the search for a shorter chain that fails ends, and what differs is reported. */
const REPORT_MS = 10_000;

type Step =
  | { kind: 'grow'; plans: BlockPlan[] }
  | { kind: 'fork'; depth: number; plans: BlockPlan[] }
  | { kind: 'redeliver'; count: number; plans: BlockPlan[] }
  | { kind: 'makeIrreversible'; depth: number }
  | { kind: 'restart' }
  | { kind: 'die'; plans: BlockPlan[] };

const plans = fc.array(blockPlan, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('grow' as const), plans }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 12 }), plans }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('redeliver' as const), count: fc.integer({ min: 1, max: 5 }), plans }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('makeIrreversible' as const), depth: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), plans }) },
);

/** Synthetic chains with forks, repeated deliveries and restarts are equal to their models. */
export function describeSyntheticChains(contract: StoreContract): void {
  describe('synthetic chains', () => {
    const { chains, queriesPerStep } = contract.size;
    const limit = timeLimit(contract, 120_000);
    const answersRight = async (): Promise<void> => {
      let asked = 0;
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), fc.nat(), (steps, seed) =>
          withStore(contract, async (under) => {
            const run = new Run(under, queriesPerStep);
            for (const [index, each] of steps.entries()) asked += await run.take(each, seed + index);
            await run.compareData();
            await expectWholeLists(under, 1 + (seed % 5));
            runs++;
          }),
        ),
        {
          seed: SEED,
          numRuns: chains,
          plugins: [fc.interruptAfterTimeLimit(limit - REPORT_MS, { failOnInterrupt: true })],
        },
      );
      expect(runs).toBe(chains);
      expect(asked).toBeGreaterThan(chains * queriesPerStep);
    };
    it('equal their models after any steps', answersRight, limit);
  });
}

/** The check of the lists finds nothing, also where forks were undone. */
async function expectWholeLists(under: StoreUnderTest, blocksPerSection: number): Promise<void> {
  const reader = await under.openReader();
  expect(await listFaults(reader, blocksPerSection)).toEqual([]);
  await reader.close();
}

/** One growing chain, in the store and in the model. */
class Run {
  private readonly chain = new SyntheticChain();
  private readonly model = new ModelHistory();
  private readonly seen: BlockRecords[] = [];
  private store: HistoryStore;
  private irreversible: BlockPosition | undefined;

  constructor(
    private readonly under: StoreUnderTest,
    private readonly queriesPerStep: number,
  ) {
    this.store = under.store;
  }

  /** Takes a step and compares everything; returns the number of results compared. */
  async take(next: Step, seed: number): Promise<number> {
    const before = await this.revisions();
    await this.apply(next);
    const after = await this.revisions();
    expect(after.store > before.store).toBe(after.model > before.model);
    return this.compare(seed);
  }

  /** Compares the actions of every value of every data field and of pairs of them, and children of traces by values. */
  async compareData(): Promise<void> {
    const comparison = new Comparison(this.store, this.model);
    await comparison.everyDataValue();
    await comparison.dataPairs();
    await comparison.childrenByData();
  }

  private async revisions(): Promise<{ store: number; model: number }> {
    const [store, model] = await Promise.all([this.store.getStatus(), this.model.getStatus()]);
    return { store: store.revision, model: model.revision };
  }

  private async apply(next: Step): Promise<void> {
    const committed = this.model.committedBlocks;
    const tip = committed.at(-1);
    switch (next.kind) {
      case 'grow':
        return this.write(this.grown(tip, next.plans));
      case 'fork':
        return this.write(this.grown(this.forkPoint(next.depth), next.plans));
      case 'redeliver':
        return this.write([...committed.slice(-next.count), ...this.grown(tip, next.plans)]);
      case 'makeIrreversible':
        this.irreversible = committed.at(-1 - next.depth)?.position ?? this.irreversible;
        return;
      case 'restart':
        this.store = await this.under.restart();
        return;
      case 'die':
        return this.dieWriting(this.grown(tip, next.plans));
    }
  }

  /** The parent of a fork that undoes up to `depth` blocks, none of them irreversible; undefined before the first. */
  private forkPoint(depth: number): BlockRecords | undefined {
    const committed = this.model.committedBlocks;
    const irreversible = this.model.irreversibleNum;
    const below = committed.slice(0, Math.max(0, committed.length - depth));
    const allowed = committed.filter(({ position }) => position.num <= irreversible);
    return below.length >= allowed.length ? below.at(-1) : allowed.at(-1);
  }

  private grown(parent: BlockRecords | undefined, blockPlans: readonly BlockPlan[]): BlockRecords[] {
    const blocks = this.chain.blocks(parent, blockPlans, this.irreversible);
    this.seen.push(...blocks);
    return blocks;
  }

  private async write(blocks: BlockRecords[]): Promise<void> {
    await this.store.writeBlocks(blocks);
    await this.model.writeBlocks(blocks);
  }

  /** The interrupted write is stored completely or not at all. */
  private async dieWriting(blocks: BlockRecords[]): Promise<void> {
    const written = this.store.writeBlocks(blocks).catch(() => undefined);
    this.store = await this.under.restart();
    await written;
    const { committed } = await this.store.getStatus();
    if (committed?.id === blocks.at(-1)?.position.id) await this.model.writeBlocks(blocks);
  }

  private async compare(seed: number): Promise<number> {
    const comparison = new Comparison(this.store, this.model);
    await comparison.status();
    await comparison.progress(this.store);
    await comparison.sampledActions(this.queriesPerStep, seed);
    await comparison.permissionsOf(this.seen);
    await comparison.abisOf(this.model.committedBlocks.slice(-6));
    for (const { position, transactions } of this.seen.slice(-6)) {
      await comparison.block({ id: position.id });
      for (const { id } of transactions) await comparison.transaction(id.toString('hex'));
    }
    return comparison.asked;
  }
}
