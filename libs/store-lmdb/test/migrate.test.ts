import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { parseDataField } from '@antelope-history/data-fields';
import {
  ABIS,
  blockPlan,
  type BlockPlan,
  Comparison,
  CONTRACT_DATA_FIELDS,
  DATA,
  EVERY_ACTION,
  listFaults,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import { type LmdbMigration, migrateLmdb } from '../src/migrate';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';
import { createEarlierStore } from './earlier-version';

const CHAINS = testSize({ usual: 25, long: 400 });
const SEED = 41;
const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', creatorDistance: 0, dataBytes: 8 };
const PLAN: BlockPlan = { transactions: [[{ ...TRANSFER, notified: ['bob'] }]], abis: [], permissions: [] };

/** A store that an earlier version began, and the model of what it holds. */
class OlderStore {
  readonly chain = new SyntheticChain();
  readonly model = new ModelHistory();
  readonly path = mkdtempSync(path.join(tmpdir(), 'store-lmdb-migrate-'));

  /** `dataFields`: those that the version knows. */
  static async create(dataFields: readonly string[]): Promise<OlderStore> {
    const store = new OlderStore();
    await createEarlierStore(store.options(dataFields));
    return store;
  }

  options(dataFields: readonly string[]) {
    return { path: this.path, mapSizeBytes: 0, dataFields };
  }

  /** Replaces the newest `depth` blocks, those that are irreversible excepted, and adds the planned ones. */
  async write(plans: readonly BlockPlan[], depth: number, dataFields: readonly string[]): Promise<void> {
    const { committedBlocks: committed, irreversibleNum } = this.model;
    const kept = Math.max(
      committed.length - depth,
      committed.filter(({ position }) => position.num <= irreversibleNum).length,
    );
    const irreversible = committed[kept - 2]?.position;
    const blocks = this.chain.blocks(committed[kept - 1], plans, irreversible);
    const writer = await openLmdbStoreWriter(this.options(dataFields));
    await writer.writeBlocks(blocks);
    await writer.close();
    await this.model.writeBlocks(blocks);
  }

  /** Ends after `commits` commits. */
  migrate(commits = Infinity, dataFields = CONTRACT_DATA_FIELDS): Promise<LmdbMigration> {
    const stopping = new AbortController();
    let done = 0;
    const onProgress = (): void => {
      if (++done >= commits) stopping.abort();
    };
    return migrateLmdb({ ...this.options(dataFields), onProgress, signal: stopping.signal, pagesPerCommit: 1 });
  }

  async compare(): Promise<void> {
    const reader = await openLmdbStoreReader(this.options([]));
    const comparison = new Comparison(reader, this.model);
    await comparison.everyDataValue();
    await comparison.sampledActions(20, SEED);
    for (const account of ['alice', 'bob', 'eosio', 'a', 'a.b', 'zzzzzzzzzzzzj'])
      await comparison.tracesOf(account, { skip: 0, limit: 10_000, window: 'skip' });
    expect(await listFaults(reader, 3)).toEqual([]);
    await reader.close();
  }

  /** The blocks of the actions whose `alice:transfer.to` has the value. */
  async blocksWith(text: string): Promise<number[]> {
    const reader = await openLmdbStoreReader(this.options([]));
    const field = parseDataField('alice:transfer.to')!;
    const { rows } = await reader.getActions({ ...EVERY_ACTION, data: [{ fields: [field], text }] });
    await reader.close();
    return rows.map(({ blockNum }) => blockNum);
  }

  async dataFields(): Promise<Readonly<Record<string, number>>> {
    const reader = await openLmdbStoreReader(this.options([]));
    const { dataFields } = await reader.getStatus();
    await reader.close();
    return dataFields;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

type Step = { write: BlockPlan[]; depth: number } | { migrate: number };

const plans = fc.array(blockPlan, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ write: plans, depth: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ migrate: fc.integer({ min: 1, max: 4 }) }) },
);

describe('the migration of a store that an earlier version began', () => {
  it('writes the lists that it lacks, however often it is interrupted and whatever is written meanwhile', async () => {
    let resumed = 0;
    const property = fc.asyncProperty(
      fc.boolean(),
      plans,
      fc.array(step, { maxLength: 8 }),
      plans,
      async (hadFields, first, steps, last) => {
        const before = hadFields ? CONTRACT_DATA_FIELDS.slice(0, 2) : [];
        const store = await OlderStore.create(before);
        try {
          await store.write(first, 0, []);
          await store.write([PLAN, PLAN], 0, before);
          for (const each of steps) {
            if ('write' in each) await store.write(each.write, each.depth, before);
            else if (!(await store.migrate(each.migrate)).isComplete) resumed++;
          }
          const { isComplete } = await store.migrate();
          expect(isComplete).toBe(true);
          expect((await store.migrate()).actions).toBe(0);
          await store.compare();
          await store.write(last, 3, CONTRACT_DATA_FIELDS);
          await store.compare();
        } finally {
          store.remove();
        }
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: CHAINS });
    expect(resumed).toBeGreaterThan(CHAINS / 10);
  }, 600_000);

  it('leaves an empty store and one without anything missing as they are', async () => {
    const store = await OlderStore.create([]);
    expect(await store.migrate()).toEqual({ traces: false, fields: [], actions: 0, isComplete: true });
    await store.write([PLAN, PLAN], 0, []);
    expect(await store.migrate()).toMatchObject({ traces: true, fields: [...CONTRACT_DATA_FIELDS].sort() });
    expect(await store.migrate()).toEqual({ traces: false, fields: [], actions: 0, isComplete: true });
    store.remove();
  });

  it('refuses to continue with other fields, and says with which', async () => {
    const store = await OlderStore.create([]);
    await store.write(Array<BlockPlan>(20).fill(PLAN), 0, []);
    await store.write([PLAN], 0, []);
    expect((await store.migrate(1, ['alice:transfer.to'])).isComplete).toBe(false);
    await expect(store.migrate()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('alice:transfer.to'),
    });
    expect((await store.migrate(Infinity, ['alice:transfer.to'])).isComplete).toBe(true);
    expect(await store.dataFields()).toEqual({ 'alice:transfer.to': 100 });
    store.remove();
  });

  it('does not take the lists of an earlier time into use, which forks did not cut', async () => {
    const transferTo = (data: Buffer | undefined): BlockPlan => ({
      ...PLAN,
      transactions: [[{ ...TRANSFER, notified: [], data }]],
    });
    const [, bob, other] = DATA;
    const store = await OlderStore.create([]);
    await store.write([{ ...transferTo(bob), abis: [{ account: 'alice', abi: ABIS[0]! }] }], 0, []);
    await store.write([transferTo(bob), transferTo(bob), transferTo(other)], 0, []);
    expect((await store.migrate()).isComplete).toBe(true);
    expect(await store.blocksWith('zzzzzzzzzzzzj')).toHaveLength(1);
    await store.compare();
    // Without the fields: the fork does not cut their lists.
    await store.write([PLAN], 2, []);
    expect((await store.migrate()).fields).toContain('alice:transfer.to');
    expect(await store.blocksWith('zzzzzzzzzzzzj')).toEqual([]);
    await store.compare();
    await store.write([transferTo(bob), transferTo(other)], 1, CONTRACT_DATA_FIELDS);
    expect(await store.blocksWith('zzzzzzzzzzzzj')).toHaveLength(1);
    await store.compare();
    store.remove();
  });

  it('waits for no running service: it is refused', async () => {
    const store = await OlderStore.create([]);
    const writer = await openLmdbStoreWriter(store.options([]));
    await expect(store.migrate()).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await writer.close();
    store.remove();
  });
});
