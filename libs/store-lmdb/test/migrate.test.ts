import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseDataField } from '@antelope-history/data-fields';
import type { StoreMigration, StoreReader, StoreWriter } from '@antelope-history/store';
import {
  ABIS,
  type BlockPlan,
  CONTRACT_DATA_FIELDS,
  DATA,
  describeMigration,
  type EarlierStore,
  EVERY_ACTION,
  MigratedStore,
} from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import { migrateLmdb } from '../src/migrate';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';
import { createEarlierStore } from './earlier-version';

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', creatorDistance: 0, dataBytes: 8 };
const PLAN: BlockPlan = { transactions: [[{ ...TRANSFER, notified: ['bob'] }]], abis: [], permissions: [] };

/** The data of an embedded store that an earlier version began: its writer adds to it what that version would. */
class EarlierLmdbStore implements EarlierStore {
  private readonly path = mkdtempSync(path.join(tmpdir(), 'store-lmdb-migrate-'));

  static async open(): Promise<EarlierLmdbStore> {
    const store = new EarlierLmdbStore();
    await createEarlierStore(store.options([]));
    return store;
  }

  openWriter(dataFields: readonly string[]): Promise<StoreWriter> {
    return openLmdbStoreWriter(this.options(dataFields));
  }

  openReader(): Promise<StoreReader> {
    return openLmdbStoreReader(this.options([]));
  }

  async becomeEarlier(): Promise<void> {
    // It was from the beginning.
  }

  migrate(dataFields: readonly string[], steps: number): Promise<StoreMigration> {
    const stopping = new AbortController();
    let done = 0;
    const onProgress = (): void => {
      if (++done >= steps) stopping.abort();
    };
    return migrateLmdb({ ...this.options(dataFields), onProgress, signal: stopping.signal, pagesPerCommit: 1 });
  }

  /** Runs a service that keeps so few blocks, until it has removed what it removes; returns the first block that is left. */
  async retain(retainBlocks: number): Promise<number | undefined> {
    const writer = await openLmdbStoreWriter({ ...this.options([]), retainBlocks });
    for (let removals = 0; removals < 3; removals++) await writer.maintain();
    await writer.close();
    const reader = await this.openReader();
    const { firstBlockNum } = await reader.getStatus();
    await reader.close();
    return firstBlockNum;
  }

  async dispose(): Promise<void> {
    rmSync(this.path, { recursive: true });
  }

  private options(dataFields: readonly string[]) {
    return { path: this.path, mapSizeBytes: 0, dataFields };
  }
}

/** With what the tests of this adapter read besides. */
class OlderStore extends MigratedStore {
  private constructor(readonly lmdb: EarlierLmdbStore) {
    super(lmdb);
  }

  static async create(): Promise<OlderStore> {
    return new OlderStore(await EarlierLmdbStore.open());
  }

  /** The blocks of the actions whose `alice:transfer.to` has the value. */
  async blocksWith(text: string): Promise<number[]> {
    const reader = await this.earlier.openReader();
    const field = parseDataField('alice:transfer.to')!;
    const { rows } = await reader.getActions({ ...EVERY_ACTION, data: [{ fields: [field], text }] });
    await reader.close();
    return rows.map(({ blockNum }) => blockNum);
  }

  async dataFields(): Promise<Readonly<Record<string, number>>> {
    const reader = await this.earlier.openReader();
    const { dataFields } = await reader.getStatus();
    await reader.close();
    return dataFields;
  }
}

describeMigration({
  openEarlier: () => EarlierLmdbStore.open(),
  chains: testSize({ usual: 25, long: 400 }),
  timeoutMs: 600_000,
});

describe('the migration of an embedded store', () => {
  it('refuses to continue with other fields, and says with which', async () => {
    const store = await OlderStore.create();
    await store.write(Array<BlockPlan>(20).fill(PLAN), 0, []);
    await store.write([PLAN], 0, []);
    expect((await store.migrate(1, ['alice:transfer.to'])).isComplete).toBe(false);
    await expect(store.migrate()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('alice:transfer.to'),
    });
    expect((await store.migrate(Infinity, ['alice:transfer.to'])).isComplete).toBe(true);
    expect(await store.dataFields()).toEqual({ 'alice:transfer.to': 100 });
    await store.earlier.dispose();
  });

  it('keeps the blocks that it still has to read from a service that removes old ones', async () => {
    const store = await OlderStore.create();
    await store.write(Array<BlockPlan>(20).fill(PLAN), 0, []);
    await store.write([PLAN], 0, []);
    expect((await store.migrate(1, ['alice:transfer.to'])).isComplete).toBe(false);
    expect(await store.lmdb.retain(5)).toBe(100);
    expect((await store.migrate(Infinity, ['alice:transfer.to'])).isComplete).toBe(true);
    expect(await store.lmdb.retain(5)).toBeGreaterThan(110);
    await store.earlier.dispose();
  });

  it('does not take the lists of an earlier time into use, which forks did not cut', async () => {
    const transferTo = (data: Buffer | undefined): BlockPlan => ({
      ...PLAN,
      transactions: [[{ ...TRANSFER, notified: [], data }]],
    });
    const [, bob, other] = DATA;
    const store = await OlderStore.create();
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
    await store.earlier.dispose();
  });

  it('waits for no running service: it is refused', async () => {
    const store = await OlderStore.create();
    const writer = await store.earlier.openWriter([]);
    await expect(store.migrate()).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await writer.close();
    await store.earlier.dispose();
  });
});
