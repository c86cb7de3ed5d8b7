import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type RefetchRequest } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { readProgress } from '@antelope-history/key-value';
import { HistoryError, type ErrorCode } from '@antelope-history/schemas';
import { createLogger, Registry } from '@antelope-history/service';
import type { BlockRecords } from '@antelope-history/records';
import type { ChainStatus, HistoryWriter, StoreWriter } from '@antelope-history/store';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { startIndexer, type Indexer } from '../src/index';
import { recordedRecords } from './recorded-records';

const BLOCKS = recordedRecords('leap-snapshot');
const LAST = BLOCKS.at(-1)!.position;

/** A store whose writes fail as often as it is told. */
class FailingStore implements HistoryWriter {
  failWith: ErrorCode | undefined;
  /** The block that it will not take. */
  refuses: number | undefined;
  /** Takes blocks and does not commit them, as a shared store does when a block before them is missing. */
  holdsBack = false;
  writes = 0;

  constructor(private readonly store: HistoryWriter) {}

  getProgress(): ReturnType<HistoryWriter['getProgress']> {
    return this.store.getProgress();
  }

  setChainId(chainId: string): Promise<void> {
    return this.store.setChainId(chainId);
  }

  commitWritten(): Promise<ChainStatus> {
    return this.store.commitWritten();
  }

  async writeBlocks(blocks: BlockRecords[]): Promise<ChainStatus> {
    this.writes++;
    if (this.failWith) throw new HistoryError(this.failWith, 'as the test wants it');
    if (this.holdsBack) return (await this.store.getProgress()).status;
    if (blocks.some(({ position }) => position.num === this.refuses)) {
      throw new HistoryError('BLOCK_REFUSED', 'too large, as the test wants it');
    }
    return this.store.writeBlocks(blocks);
  }
}

class FailingKeyValue extends MemoryKeyValue {
  fails = false;

  override async set(key: string, value: string): Promise<void> {
    if (this.fails) throw new Error('the key-value store is away');
    await super.set(key, value);
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-indexer-'));
let stores = 0;
let lmdb: StoreWriter;
let store: FailingStore;
let broker: MemoryBroker;
let keyValue: FailingKeyValue;
let registry: Registry;
let failures: unknown[];
let refetches: RefetchRequest[];
let indexer: Indexer;

beforeEach(async () => {
  lmdb = await openLmdbStoreWriter({ path: path.join(folder, String(++stores)), mapSizeBytes: 0 });
  store = new FailingStore(lmdb);
  broker = new MemoryBroker();
  keyValue = new FailingKeyValue();
  registry = new Registry();
  failures = [];
  refetches = [];
  await broker.consume<RefetchRequest>(TOPOLOGY.refetch, (delivery) => {
    refetches.push(delivery.message);
    delivery.acknowledge();
  });
  indexer = await start(60, registry);
});

afterEach(async () => {
  await indexer.stop();
  await broker.close();
  await lmdb.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(stallSeconds: number, metrics = new Registry()): Promise<Indexer> {
  return startIndexer({
    config: { indexer: { batchBytes: 100_000, batchSeconds: 0.01, stallSeconds }, chainId: undefined },
    broker,
    store,
    keyValue,
    log: createLogger('test', 'silent', new Writable({ write: (_chunk, _encoding, done) => done() })),
    registry: metrics,
    fail: (error) => void failures.push(error),
  });
}

async function publish(blocks: readonly BlockRecords[]): Promise<void> {
  for (const block of blocks) await broker.publish(TOPOLOGY.blockRecords, block);
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ten seconds: ${what}`);
    await sleep(5);
  }
}

const committed = async (): Promise<number> => (await lmdb.getProgress()).status.committed?.num ?? 0;
const underWay = async (): Promise<number> => (await broker.depth(TOPOLOGY.blockRecords)).messages;

async function counted(name: string): Promise<number> {
  return (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
}

describe('the indexer', () => {
  it('commits what it is given, lets go of it, and says where the store stands', async () => {
    await publish(BLOCKS);
    await until('all is let go of', async () => (await underWay()) === 0);
    expect(await committed()).toBe(LAST.num);
    expect(await counted('history_indexed_blocks_total')).toBe(BLOCKS.length);
    await until('progress', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
    const progress = await readProgress(keyValue);
    const { lastIrreversible } = (await lmdb.getProgress()).status;
    expect(progress!.positions.map(({ num }) => num)).toEqual(
      Array.from({ length: LAST.num - lastIrreversible!.num + 1 }, (_, index) => lastIrreversible!.num + index),
    );
  });

  it('says it again when the key-value store has forgotten', async () => {
    await publish(BLOCKS);
    await until('progress', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
    await keyValue.delete('progress');
    await until('progress again', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
  });

  it('commits while the key-value store is away, once each, and says so when it is back', async () => {
    keyValue.fails = true;
    await publish(BLOCKS);
    await until('all is let go of', async () => (await underWay()) === 0);
    expect(await counted('history_indexed_blocks_total')).toBe(BLOCKS.length);
    expect(await counted('history_write_failures_total')).toBe(0);
    keyValue.fails = false;
    await until('progress', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
  });

  it('tries again while the store is away, and keeps what it holds', async () => {
    store.failWith = 'STORE_UNAVAILABLE';
    await publish(BLOCKS);
    await until('two tries', () => store.writes >= 2);
    expect(await underWay()).toBe(BLOCKS.length);
    expect(await counted('history_write_failures_total')).toBeGreaterThanOrEqual(1);
    store.failWith = undefined;
    await until('the last block', async () => (await committed()) === LAST.num);
    expect(failures).toEqual([]);
  });

  it('stops at once while it waits to try again', async () => {
    store.failWith = 'STORE_UNAVAILABLE';
    await publish(BLOCKS.slice(0, 5));
    await until('three tries', () => store.writes >= 3);
    const start = performance.now();
    await indexer.stop();
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(await underWay()).toBe(5);
  });

  it('writes nothing more after an error that stays, and says so once', async () => {
    store.failWith = 'STORE_REFUSED';
    await publish(BLOCKS.slice(0, 3));
    await until('it gives up', () => failures.length > 0);
    const { writes } = store;
    await publish(BLOCKS.slice(3));
    await sleep(100);
    expect(store.writes).toBe(writes);
    expect(failures.map((error) => (error as HistoryError).code)).toEqual(['STORE_REFUSED']);
    expect(await underWay()).toBe(BLOCKS.length);
  });

  it.each(['FORK_TOO_DEEP', 'CHAIN_ID_MISMATCH'] as const)(
    'does not end by what a node sent (%s): has the chain read again, and goes on',
    async (code) => {
      await publish(BLOCKS.slice(0, 5));
      await until('five blocks', async () => (await underWay()) === 0);
      store.failWith = code;
      await publish(BLOCKS.slice(5, 8));
      await until('it lets go of them', async () => (await underWay()) === 0);
      expect(refetches[0]).toMatchObject({ code });
      store.failWith = undefined;
      await publish(BLOCKS.slice(5));
      await until('the last block', async () => (await committed()) === LAST.num);
      expect(failures).toEqual([]);
    },
  );

  it('asks once for a block that was left out, and again when it is left out again', async () => {
    await publish(BLOCKS.slice(0, 10));
    await until('ten blocks', async () => (await underWay()) === 0);
    const next = BLOCKS[10]!.position.num;
    for (const block of BLOCKS.slice(11, 20)) {
      await publish([block]);
      await until('it is dropped', async () => (await underWay()) === 0);
    }
    expect(refetches).toMatchObject([{ fromBlock: next, code: 'BLOCK_GAP' }]);
    await publish(BLOCKS.slice(11, 20));
    await until('they are dropped', async () => (await underWay()) === 0);
    expect(refetches.length).toBe(2);
    await publish(BLOCKS.slice(10));
    await until('the last block', async () => (await committed()) === LAST.num);
    expect(refetches.length).toBe(2);
  });

  it('keeps a block that the store refuses, with the reason, writes those before it, and has it read again', async () => {
    const refused = BLOCKS[5]!.position.num;
    store.refuses = refused;
    await publish(BLOCKS.slice(0, 6));
    await until('all is let go of', async () => (await underWay()) === 0);
    expect(await committed()).toBe(refused - 1);
    expect(refetches).toMatchObject([{ fromBlock: refused, code: 'BLOCK_REFUSED' }]);
    const [dead] = await broker.deadLetters(TOPOLOGY.blockRecords);
    expect([dead!.message?.position.num, dead!.reason.code]).toEqual([refused, 'BLOCK_REFUSED']);
    store.refuses = undefined;
    await publish(BLOCKS.slice(5));
    await until('the last block', async () => (await committed()) === LAST.num);
    expect(failures).toEqual([]);
  });

  it('has the chain read again when blocks come and none is committed, and other indexers leave that to it', async () => {
    await indexer.stop();
    await lmdb.writeBlocks(BLOCKS.slice(0, 3));
    store.holdsBack = true;
    const others = await Promise.all([1, 2].map(() => start(0.05)));
    await publish(BLOCKS.slice(4));
    await until('it asks', () => refetches.length > 0);
    expect(refetches).toMatchObject([{ fromBlock: BLOCKS[3]!.position.num, code: 'BLOCK_GAP' }]);
    await Promise.all(others.map((each) => each.stop()));
  });
});
