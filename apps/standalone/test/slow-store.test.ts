import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY } from '@antelope-history/broker';
import { createBlockDeserializer, startDeserializer } from '@antelope-history/deserializer-stage';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { startIndexer } from '@antelope-history/indexer-stage';
import { startReader } from '@antelope-history/reader-stage';
import { createLogger, Registry } from '@antelope-history/app-runtime';
import type { BlockRecords } from '@antelope-history/records';
import type { ChainStatus, HistoryWriter } from '@antelope-history/store';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { Chains } from './chains';

const chains = new Chains();
afterAll(() => chains.close());

/** A store that blocks writes until it is released. */
class HeldStore implements HistoryWriter {
  release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  constructor(private readonly store: HistoryWriter) {}

  getProgress(): ReturnType<HistoryWriter['getProgress']> {
    return this.store.getProgress();
  }

  setChainId(chainId: string): Promise<void> {
    return this.store.setChainId(chainId);
  }

  maintain(): Promise<ChainStatus> {
    return this.store.maintain();
  }

  async writeBlocks(blocks: BlockRecords[]): Promise<ChainStatus> {
    await this.released;
    return this.store.writeBlocks(blocks);
  }
}

const WINDOW = 8;
/** The limit: full queues, the unacknowledged deliveries of each stage, and the unacknowledged messages of the node. */
const MAX_SENT = TOPOLOGY.rawBlocks.maxMessages + TOPOLOGY.blockRecords.maxMessages + 1 + WINDOW;

it('a blocked store stops the node, which continues when the store does', async () => {
  const node = await chains.node('leap-edge');
  const data = chains.directory();
  const lmdb = await openLmdbStoreWriter({ path: data, mapSizeBytes: 0 });
  const store = new HeldStore(lmdb);
  const broker = new MemoryBroker();
  const shared = {
    broker,
    keyValue: new MemoryKeyValue(),
    log: createLogger('test', 'silent', new Writable({ write: (_chunk, _encoding, done) => done() })),
    registry: new Registry(),
    fail: (error: unknown) => {
      throw error;
    },
  };
  const indexer = await startIndexer({
    ...shared,
    store,
    config: { indexer: { batchBytes: 2 ** 20, batchSeconds: 0.01, stallSeconds: 60 }, chainId: undefined },
  });
  const config = { indexer: { verifyBlocks: 'new' as const } };
  const deserializer = await startDeserializer({
    ...shared,
    blockDeserializer: createBlockDeserializer({ ...shared, config }),
  });
  const bounds = { maxMessagesInFlight: WINDOW, maxMessageBytes: 2 ** 30, maxBytesInFlight: 2 ** 26 };
  const ship = { urls: [node.url], startBlock: 0, ...bounds };
  const waits = { reconnectMinSeconds: 0.1, reconnectMaxSeconds: 1, silenceSeconds: 0 };
  const reader = await startReader({ ...shared, config: { ship: { ...ship, ...waits }, chainId: undefined } });

  const sent = async (): Promise<number> => {
    const before = node.stats.connections[0]?.sent ?? 0;
    await sleep(300);
    return node.stats.connections[0]?.sent === before ? before : sent();
  };
  const held = await sent();
  expect(held).toBeGreaterThan(TOPOLOGY.blockRecords.maxMessages);
  expect(held).toBeLessThanOrEqual(MAX_SENT);
  expect(held - node.stats.connections[0]!.acknowledged).toBe(WINDOW);
  expect((await broker.depth(TOPOLOGY.rawBlocks)).messages).toBeLessThanOrEqual(TOPOLOGY.rawBlocks.maxMessages);

  store.release();
  const { length } = node.stats;
  for (let waited = 0; node.stats.connections[0]!.acknowledged < length && waited < 10_000; waited += 20)
    await sleep(20);
  expect(node.stats.connections.map(({ acknowledged }) => acknowledged)).toEqual([length]);
  for (let waited = 0; (await broker.depth(TOPOLOGY.blockRecords)).messages > 0 && waited < 10_000; waited += 20)
    await sleep(20);
  await reader.stop();
  await deserializer.stop();
  await indexer.stop();
  await broker.close();
  await lmdb.close();
  expect(await chains.differences('leap-edge', data)).toEqual([]);
});
