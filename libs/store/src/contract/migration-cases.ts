import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlockRecords } from '@antelope-history/records';
import { hasErrorCode } from '@antelope-history/schemas';
import type { StoreReader, StoreWriter } from '../history-store';
import { type StoreMigration, NOTHING_MISSING } from '../migration';
import { blockPlan } from './block-plans';
import { Comparison } from './comparison';
import { ABIS, CONTRACT_DATA_FIELDS, DATA } from './data-plans';
import { listFaults } from './list-faults';
import { ModelHistory } from './model-history';
import { ReaderSessions } from './reader-sessions';
import { type BlockPlan, SyntheticChain } from './synthetic-chain';

/** The data of a store under test that an earlier version began; empty at first. */
export interface EarlierStore {
  openWriter(dataFields: readonly string[]): Promise<StoreWriter>;
  openReader(): Promise<StoreReader>;
  /** Makes all that was written look as the earlier version writes it, which indexed these data fields. */
  becomeEarlier(dataFields: readonly string[]): Promise<void>;
  /** Runs a migration that ends after `steps` steps, which are as short as they can be. */
  migrate(dataFields: readonly string[], steps: number): Promise<StoreMigration>;
  dispose(): Promise<void>;
}

export interface MigrationContract {
  openEarlier(): Promise<EarlierStore>;
  /** The number of generated chains. */
  chains: number;
  timeoutMs: number;
}

const SEED = 41;
const ACCOUNTS = ['alice', 'bob', 'eosio', 'a', 'a.b', 'zzzzzzzzzzzzj'];
const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', creatorDistance: 0, dataBytes: 8 };
const PLAN: BlockPlan = { transactions: [[{ ...TRANSFER, notified: ['bob'] }]], abis: [], permissions: [] };
const PAID: BlockPlan = { ...PLAN, transactions: [[{ ...TRANSFER, notified: [], data: DATA[1] }]] };

/** A store that an earlier version began, and the model of what it holds. */
export class MigratedStore {
  readonly chain = new SyntheticChain();
  readonly model = new ModelHistory();
  private readonly sessions = new ReaderSessions();

  constructor(readonly earlier: EarlierStore) {}

  /** Replaces the newest `depth` blocks, those that are irreversible excepted, and adds the planned ones. */
  async write(plans: readonly BlockPlan[], depth: number, dataFields: readonly string[]): Promise<void> {
    const { committedBlocks: committed, irreversibleNum } = this.model;
    const irreversible = committed.filter(({ position }) => position.num <= irreversibleNum).length;
    const kept = Math.max(committed.length - depth, irreversible);
    const blocks = this.chain.blocks(committed[kept - 1], plans, committed[kept - 2]?.position);
    // A migration with other data fields that begins after a writer ends it; the writer is restarted, as an indexer is.
    while (!(await this.writeBlocks(blocks, dataFields)));
    await this.model.writeBlocks(blocks);
  }

  /** Returns false when a process with other data fields began after the writer. */
  private async writeBlocks(blocks: readonly BlockRecords[], dataFields: readonly string[]): Promise<boolean> {
    const writer = await this.earlier.openWriter(dataFields);
    this.sessions.begin();
    try {
      await writer.writeBlocks(this.sessions.read(blocks));
      await writer.maintain();
      return true;
    } catch (error) {
      if (hasErrorCode(error, 'DATA_FIELDS_DIFFER')) return false;
      throw error;
    } finally {
      await writer.close();
    }
  }

  migrate(steps = Infinity, dataFields = CONTRACT_DATA_FIELDS): Promise<StoreMigration> {
    return this.earlier.migrate(dataFields, steps);
  }

  /** Compares every query that a migration is for with the model. */
  async compare(): Promise<void> {
    const reader = await this.earlier.openReader();
    const comparison = new Comparison(reader, this.model);
    await comparison.everyDataValue();
    await comparison.sampledActions(20, SEED);
    for (const account of ACCOUNTS) await comparison.tracesOf(account, { skip: 0, limit: 10_000, window: 'skip' });
    expect(await listFaults(reader, 3)).toEqual([]);
    await reader.close();
  }
}

/** When the earlier version indexed data fields: never, from its second write on, or from its first one on. */
type Fields = 'none' | 'later' | 'always';
type Step = { write: BlockPlan[]; depth: number } | { migrate: number };

const plans = fc.array(blockPlan, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ write: plans, depth: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ migrate: fc.integer({ min: 1, max: 4 }) }) },
);

/** The tests of an adapter's migration. */
export function describeMigration({ openEarlier, chains, timeoutMs }: MigrationContract): void {
  const open = async (): Promise<MigratedStore> => new MigratedStore(await openEarlier());

  describe('the migration of a store that an earlier version began', () => {
    it(
      'adds what it lacks, however often it is interrupted and whatever is written meanwhile',
      async () => {
        let resumed = 0;
        const property = fc.asyncProperty(
          fc.constantFrom<Fields>('none', 'later', 'always'),
          plans,
          fc.array(step, { maxLength: 8 }),
          plans,
          async (fields, first, steps, last) => {
            const before = fields === 'none' ? [] : CONTRACT_DATA_FIELDS.slice(0, 1);
            const store = await open();
            try {
              await store.write(first, 0, fields === 'always' ? before : []);
              await store.write([PLAN, PLAN], 0, before);
              await store.earlier.becomeEarlier(before);
              for (const each of steps) {
                if ('write' in each) await store.write(each.write, each.depth, before);
                else if (!(await store.migrate(each.migrate)).isComplete) resumed++;
              }
              expect((await store.migrate()).isComplete).toBe(true);
              expect(await store.migrate()).toEqual(NOTHING_MISSING);
              await store.compare();
              await store.write(last, 3, CONTRACT_DATA_FIELDS);
              await store.compare();
            } finally {
              await store.earlier.dispose();
            }
          },
        );
        // A smaller counterexample would take a server minutes.
        await fc.assert(property, { seed: SEED, numRuns: chains, endOnFailure: true });
        expect(resumed).toBeGreaterThan(chains / 10);
      },
      timeoutMs,
    );

    it(
      'decodes each action with the ABI that was in force at it, also that which changes the ABI',
      async () => {
        const store = await open();
        const setting = (abi: Buffer): BlockPlan => ({ ...PAID, abis: [{ account: 'alice', abi }] });
        await store.write(
          [...ABIS, ...ABIS].flatMap((abi) => [setting(abi), PAID]),
          0,
          [],
        );
        await store.earlier.becomeEarlier([]);
        expect((await store.migrate()).isComplete).toBe(true);
        await store.compare();
        await store.earlier.dispose();
      },
      timeoutMs,
    );

    it(
      'leaves an empty store and one without anything missing as they are',
      async () => {
        const store = await open();
        expect(await store.migrate()).toEqual(NOTHING_MISSING);
        await store.write([PLAN, PLAN], 0, []);
        await store.earlier.becomeEarlier([]);
        expect(await store.migrate()).toMatchObject({ traces: true, fields: [...CONTRACT_DATA_FIELDS].sort() });
        expect(await store.migrate()).toEqual(NOTHING_MISSING);
        await store.earlier.dispose();
      },
      timeoutMs,
    );
  });
}
