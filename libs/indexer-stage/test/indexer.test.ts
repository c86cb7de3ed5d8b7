import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RefetchRequest, TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { readProgress } from '@antelope-history/key-value';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { type BlockRecords, listedNumbers } from '@antelope-history/records';
import { type ErrorCode, HistoryError } from '@antelope-history/schemas';
import { createLogger, Registry } from '@antelope-history/app-runtime';
import type { ChainStatus, HistoryWriter, StoreWriter } from '@antelope-history/store';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { type Indexer, startIndexer } from '../src/index';
import { recordedRecords } from './recorded-records';

const BLOCKS = recordedRecords('leap-snapshot');
const LAST = BLOCKS.at(-1)!.position;
const CHAIN_ID = 'c'.repeat(64);

/** A store whose writes fail as the test configures. */
class FailingStore implements HistoryWriter {
  failWith: ErrorCode | undefined;
  /** The number of the block that it refuses. */
  refuses: number | undefined;
  /** Accepts blocks and does not commit them, as a shared store does when a block before them is missing. */
  holdsBack = false;
  /** How many more writes store their first block only and postpone the others. */
  postpones = 0;
  writes = 0;
  /** How many more times it cannot be tied to a chain. */
  failsToBind = 0;

  constructor(private readonly store: HistoryWriter) {}

  getProgress(): ReturnType<HistoryWriter['getProgress']> {
    return this.store.getProgress();
  }

  async setChainId(chainId: string): Promise<void> {
    if (this.failsToBind-- > 0) throw new HistoryError('STORE_UNAVAILABLE', 'refused by the test');
    await this.store.setChainId(chainId);
  }

  maintain(): Promise<ChainStatus> {
    return this.store.maintain();
  }

  async writeBlocks(blocks: BlockRecords[], postpone?: (block: BlockRecords) => void): Promise<ChainStatus> {
    this.writes++;
    if (this.failWith) throw new HistoryError(this.failWith, 'refused by the test');
    if (this.holdsBack) return (await this.store.getProgress()).status;
    if (blocks.some(({ position }) => position.num === this.refuses)) {
      throw new HistoryError('BLOCK_REFUSED', 'too large');
    }
    if (this.postpones === 0) return this.store.writeBlocks(blocks);
    this.postpones--;
    for (const block of blocks.slice(1)) postpone?.(block);
    return this.store.writeBlocks(blocks.slice(0, 1));
  }
}

class FailingKeyValue extends MemoryKeyValue {
  fails = false;

  override async set(key: string, value: string): Promise<void> {
    if (this.fails) throw new Error('the key-value store is unavailable');
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

function start(stallSeconds: number, metrics = new Registry(), writer: HistoryWriter = store): Promise<Indexer> {
  return startIndexer({
    config: { indexer: { batchBytes: 100_000, batchSeconds: 0.01, stallSeconds }, chainId: undefined },
    broker,
    store: writer,
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
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ten seconds: ${what}`);
    await sleep(5);
  }
}

const committed = async (): Promise<number> => (await lmdb.getProgress()).status.committed?.num ?? 0;
const queued = async (): Promise<number> => (await broker.depth(TOPOLOGY.blockRecords)).messages;

async function counted(name: string): Promise<number> {
  return (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
}

describe('the indexer', () => {
  it('commits blocks, acknowledges them, and publishes the progress', async () => {
    await publish(BLOCKS);
    await until('all are acknowledged', async () => (await queued()) === 0);
    expect(await committed()).toBe(LAST.num);
    expect(await counted('history_indexed_blocks_total')).toBe(BLOCKS.length);
    await until('progress', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
    const progress = await readProgress(keyValue);
    const { firstBlockNum, lastIrreversible } = (await lmdb.getProgress()).status;
    expect(progress!.lastIrreversible).toEqual(lastIrreversible);
    expect(progress!.positions.map(({ num }) => num)).toEqual(listedNumbers(firstBlockNum!, LAST.num));
  });

  it('writes blocks again that the store postpones', async () => {
    const blocks = BLOCKS.slice(0, 6);
    store.postpones = 3;
    await publish(blocks);
    await until('everything is acknowledged', async () => {
      const written = await registry.getSingleMetric('history_indexed_blocks_total')?.get();
      return written?.values[0]?.value === blocks.length;
    });
    expect((await lmdb.getProgress()).status.committed).toEqual(blocks.at(-1)?.position);
    expect(store.postpones).toBe(0);
    expect(refetches).toEqual([]);
  });

  it('publishes the progress again when the key-value store has lost it', async () => {
    await publish(BLOCKS);
    await until('progress', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
    await keyValue.delete('progress');
    await until('progress again', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
  });

  it('commits each block once while the key-value store is unavailable, and publishes the progress afterwards', async () => {
    keyValue.fails = true;
    await publish(BLOCKS);
    await until('all are acknowledged', async () => (await queued()) === 0);
    expect(await counted('history_indexed_blocks_total')).toBe(BLOCKS.length);
    expect(await counted('history_write_failures_total')).toBe(0);
    keyValue.fails = false;
    await until('progress', async () => (await readProgress(keyValue))?.committed?.num === LAST.num);
  });

  it('retries while the store is unavailable, and acknowledges nothing', async () => {
    store.failWith = 'STORE_UNAVAILABLE';
    await publish(BLOCKS);
    await until('two attempts', () => store.writes >= 2);
    expect(await queued()).toBe(BLOCKS.length);
    expect(await counted('history_write_failures_total')).toBeGreaterThanOrEqual(1);
    store.failWith = undefined;
    await until('the last block', async () => (await committed()) === LAST.num);
    expect(failures).toEqual([]);
  });

  it('ties the store to the chain before it writes, also after an attempt that failed', async () => {
    store.failsToBind = 1;
    await publish(BLOCKS.slice(0, 5).map((block) => ({ ...block, chainId: CHAIN_ID })));
    await until('they are acknowledged', async () => (await queued()) === 0);
    expect((await lmdb.getProgress()).status.chainId).toBe(CHAIN_ID);
  });

  it('leaves its blocks to other indexers while it is refused alone, and goes on when it is not', async () => {
    const first = BLOCKS.slice(0, -5);
    store.failWith = 'DATA_FIELDS_DIFFER';
    await publish(first);
    await until('two attempts', () => store.writes >= 2);
    expect(indexer.refusal()).toBe('DATA_FIELDS_DIFFER');
    const other = await start(60, new Registry(), lmdb);
    await until('the other one commits them', async () => (await committed()) === first.at(-1)?.position.num);
    await until('they are acknowledged', async () => (await queued()) === 0);
    await other.stop();
    store.failWith = undefined;
    await publish(BLOCKS.slice(first.length));
    await until('the last block', async () => (await committed()) === LAST.num);
    await until('all are acknowledged', async () => (await queued()) === 0);
    expect(await counted('history_indexed_blocks_total')).toBe(BLOCKS.length - first.length);
    expect([failures, refetches, indexer.refusal()]).toEqual([[], [], undefined]);
  });

  it.each([
    ['STORE_UNAVAILABLE', 3],
    ['DATA_FIELDS_DIFFER', 2],
  ] as const)('stops at once while it waits for a retry (%s)', async (code, attempts) => {
    store.failWith = code;
    await publish(BLOCKS.slice(0, 5));
    await until('some attempts', () => store.writes >= attempts);
    const start = performance.now();
    await indexer.stop();
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(await queued()).toBe(5);
  });

  it('writes nothing more after a final error, and reports it once', async () => {
    store.failWith = 'STORE_REFUSED';
    await publish(BLOCKS.slice(0, 3));
    await until('it reports the error', () => failures.length > 0);
    const { writes } = store;
    await publish(BLOCKS.slice(3));
    await sleep(100);
    expect(store.writes).toBe(writes);
    expect(failures.map((error) => (error as HistoryError).code)).toEqual(['STORE_REFUSED']);
    expect(await queued()).toBe(BLOCKS.length);
  });

  it.each(['FORK_TOO_DEEP', 'CHAIN_ID_MISMATCH'] as const)(
    'continues after a block that the store rejects (%s), and requests a refetch',
    async (code) => {
      await publish(BLOCKS.slice(0, 5));
      await until('five blocks', async () => (await queued()) === 0);
      store.failWith = code;
      await publish(BLOCKS.slice(5, 8));
      await until('they are acknowledged', async () => (await queued()) === 0);
      expect(refetches[0]).toMatchObject({ code });
      store.failWith = undefined;
      await publish(BLOCKS.slice(5));
      await until('the last block', async () => (await committed()) === LAST.num);
      expect(failures).toEqual([]);
    },
  );

  it('requests one refetch for a missing block, and another when it is missing again', async () => {
    await publish(BLOCKS.slice(0, 10));
    await until('ten blocks', async () => (await queued()) === 0);
    for (const block of BLOCKS.slice(11, 20)) {
      await publish([block]);
      await until('it is dropped', async () => (await queued()) === 0);
    }
    expect(refetches).toMatchObject([{ code: 'BLOCK_GAP' }]);
    await publish(BLOCKS.slice(11, 20));
    await until('they are dropped', async () => (await queued()) === 0);
    expect(refetches.length).toBe(2);
    await publish(BLOCKS.slice(10));
    await until('the last block', async () => (await committed()) === LAST.num);
    expect(refetches.length).toBe(2);
  });

  it('requests another refetch when the block behind a gap comes again, and while the gap stays for long', async () => {
    const drop = async (index: number): Promise<void> => {
      await publish([BLOCKS[index]!]);
      await until('it is dropped', async () => (await queued()) === 0);
    };
    await publish(BLOCKS.slice(0, 1));
    await until('one block', async () => (await queued()) === 0);
    await drop(2);
    await drop(2);
    expect(refetches.length).toBe(2);
    await drop(3);
    expect(refetches.length).toBe(2);
    const later = performance.now() + 5_000;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
    await drop(4);
    clock.mockRestore();
    expect(refetches.length).toBe(3);
  });

  it('dead-letters a block that the store refuses, writes those before it, and requests a refetch', async () => {
    const refused = BLOCKS[5]!.position.num;
    store.refuses = refused;
    await publish(BLOCKS.slice(0, 6));
    await until('all are acknowledged', async () => (await queued()) === 0);
    expect(await committed()).toBe(refused - 1);
    expect(refetches).toMatchObject([{ code: 'BLOCK_REFUSED' }]);
    const [dead] = await broker.deadLetters(TOPOLOGY.blockRecords);
    expect([dead!.message?.position.num, dead!.reason.code]).toEqual([refused, 'BLOCK_REFUSED']);
    store.refuses = undefined;
    await publish(BLOCKS.slice(5));
    await until('the last block', async () => (await committed()) === LAST.num);
    expect(failures).toEqual([]);
  });

  it('keeps a block that the store refuses in the queue until the refetch request is sent', async () => {
    const publishAs = broker.publish.bind(broker);
    let isBrokerAway = true;
    let attempts = 0;
    broker.publish = async (queue, message) => {
      if (queue.name !== TOPOLOGY.refetch.name) return publishAs(queue, message);
      attempts++;
      if (isBrokerAway) throw new HistoryError('BROKER_UNAVAILABLE', 'refused by the test');
      return publishAs(queue, message);
    };
    store.refuses = BLOCKS[0]!.position.num;
    await publish(BLOCKS.slice(0, 1));
    await until('the request', () => attempts > 0);
    expect(await broker.depth(TOPOLOGY.blockRecords)).toMatchObject({ messages: 1, deadLetters: 0 });
    isBrokerAway = false;
    await until('it is dead-lettered', async () => (await queued()) === 0);
    expect(refetches).toMatchObject([{ code: 'BLOCK_REFUSED' }]);
  });

  it('requests a refetch when written blocks are not committed; of several indexers only one does', async () => {
    await indexer.stop();
    await lmdb.writeBlocks(BLOCKS.slice(0, 3));
    store.holdsBack = true;
    const others = await Promise.all([1, 2].map(() => start(0.05)));
    await publish(BLOCKS.slice(4));
    await until('the request', () => refetches.length > 0);
    expect(refetches).toMatchObject([
      { code: 'BLOCK_GAP', reason: expect.stringContaining(`head has been ${BLOCKS[2]!.position.num}`) },
    ]);
    await Promise.all(others.map((each) => each.stop()));
  });
});
