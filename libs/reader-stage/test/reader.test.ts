import { Writable } from 'node:stream';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { createLogger, Registry, type Config } from '@antelope-history/app-runtime';
import { createShipReplay } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { startReader } from '../src/index';

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
