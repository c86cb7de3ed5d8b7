import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { createLogger, loadConfig, Registry, type Config } from '@antelope-history/app-runtime';
import { createShipReplay } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { shipHealth, startReader } from '../src/index';

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

describe('a reader that waits for the store to say where it stands', () => {
  it('stops at once, and for good', async () => {
    const node = await createShipReplay({ recording: openSample('leap-snapshot') });
    const broker = new MemoryBroker();
    const ship = {
      urls: [node.url],
      startBlock: 0,
      maxMessagesInFlight: 1,
      maxMessageBytes: 1_000_000,
      maxBytesInFlight: 1_000_000,
      reconnectMinSeconds: 60,
      reconnectMaxSeconds: 60,
      silenceSeconds: 0,
    };
    const reader = await startReader({
      config: { ship, chainId: undefined } satisfies Pick<Config, 'ship' | 'chainId'>,
      broker,
      keyValue: new MemoryKeyValue(),
      log: createLogger('test', 'silent', nowhere),
      registry: new Registry(),
      fail: (error) => {
        throw error;
      },
    });
    const start = performance.now();
    await reader.stop();
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(node.stats.connections).toEqual([]);
    await broker.close();
    await node.close();
  });
});

describe('a reader whose queue is full', () => {
  it('reports and logs at once that its node is gone', async () => {
    const log: string[] = [];
    const node = await createShipReplay({ recording: openSample('leap-edge') });
    const broker = new MemoryBroker();
    const registry = new Registry();
    const keyValue = new MemoryKeyValue();
    await writeProgress(keyValue, { chainId: undefined, committed: undefined, positions: [], sequence: 0 });
    const reader = await startReader({
      config: loadConfig({ HISTORY_SHIP__URLS: node.url }),
      broker,
      keyValue,
      log: createLogger('test', 'warn', { write: (line) => void log.push(line) }),
      registry,
      fail: (error) => {
        throw error;
      },
    });
    const untilHealth = async (status: string): Promise<void> => {
      while (shipHealth(await registry.getMetricsAsJSON()).status !== status) await sleep(5);
    };
    await untilHealth('ok');
    while ((await broker.depth(TOPOLOGY.rawBlocks)).messages < TOPOLOGY.rawBlocks.maxMessages) await sleep(5);
    const { url } = node;
    await node.close();
    await untilHealth('down');
    while (log.length === 0) await sleep(5);
    expect(JSON.parse(log[0]!)).toMatchObject({ code: 'SHIP_DISCONNECTED', url });
    expect(log[0]).toContain('trying again when the blocks read so far are in the queue');
    await reader.stop();
    await broker.close();
  });
});
