import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { createLogger, Registry } from '@antelope-history/app-runtime';
import type { StoreWriter } from '@antelope-history/store';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { createIndexerHealth, INDEXER_WORK, startIndexer } from '../src/index';
import { recordedRecords } from './recorded-records';

const BLOCKS = recordedRecords('leap-snapshot');
const LAST = BLOCKS.at(-1)!;

describe('the health of an indexer', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-indexer-health-'));
  let store: StoreWriter;
  let broker: MemoryBroker;
  let keyValue: MemoryKeyValue;
  let registry: Registry;

  beforeEach(async () => {
    store = await openLmdbStoreWriter({ path: mkdtempSync(path.join(folder, 'store-')), mapSizeBytes: 0 });
    broker = new MemoryBroker();
    keyValue = new MemoryKeyValue();
    registry = new Registry();
  });
  afterEach(async () => {
    await broker.close();
    await store.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const readHealth = (refusal?: 'DATA_FIELDS_DIFFER') =>
    createIndexerHealth({ broker, store, keyValue, indexer: { refusal: () => refusal }, registry })();

  it('reports an empty store as available, without block numbers', async () => {
    await broker.publish(TOPOLOGY.blockRecords, LAST);
    expect(await readHealth()).toEqual({
      status: 'ok',
      components: { broker: { status: 'ok' }, store: { status: 'ok' }, key_value: { status: 'ok' } },
      facts: {
        head_block_num: null,
        committed_block_num: null,
        last_irreversible_block_num: null,
        lag_blocks: null,
        waiting_blocks: 1,
        last_commit_at: null,
      },
    });
  });

  it('reports the committed block and the time of the last commit', async () => {
    const startedAt = Date.now();
    const indexer = await startIndexer({
      config: { indexer: { batchBytes: 1_000, batchSeconds: 0.01, stallSeconds: 60 }, chainId: undefined },
      broker,
      store,
      keyValue,
      log: createLogger('test', 'silent'),
      registry,
      fail: (error) => expect(error).toBeUndefined(),
    });
    for (const block of BLOCKS) await broker.publish(TOPOLOGY.blockRecords, block);
    for (;;) {
      const { committed_block_num: committed, waiting_blocks: waiting } = (await readHealth()).facts;
      // A stop between a commit and its acknowledgements leaves the blocks in the queue.
      if (committed === LAST.position.num && waiting === 0) break;
      await sleep(20);
    }
    await indexer.stop();
    const { facts } = await readHealth();
    expect(facts).toMatchObject({
      head_block_num: LAST.head.num,
      committed_block_num: LAST.position.num,
      last_irreversible_block_num: LAST.lastIrreversible.num,
      lag_blocks: LAST.head.num - LAST.position.num,
      waiting_blocks: 0,
    });
    const lastCommit = Date.parse(String(facts['last_commit_at']));
    expect(lastCommit).toBeGreaterThanOrEqual(startedAt);
    expect(lastCommit).toBeLessThanOrEqual(Date.now());
    expect(registry.getSingleMetric(INDEXER_WORK.metric)).toBeDefined();
  });

  it('is degraded while the store refuses it alone', async () => {
    expect(await readHealth('DATA_FIELDS_DIFFER')).toMatchObject({
      status: 'degraded',
      components: { store: { status: 'degraded', reason: 'DATA_FIELDS_DIFFER' } },
    });
  });

  it('is down without the broker or the store, degraded without the key-value store', async () => {
    const unavailable = () => Promise.reject(new Error('unavailable'));
    keyValue.get = unavailable;
    expect(await readHealth()).toMatchObject({ status: 'degraded', components: { key_value: { status: 'down' } } });
    store.getProgress = unavailable;
    expect(await readHealth()).toMatchObject({ status: 'down', components: { store: { status: 'down' } } });
    broker.depth = unavailable;
    expect(await readHealth()).toMatchObject({ status: 'down', components: { broker: { status: 'down' } } });
  });
});
