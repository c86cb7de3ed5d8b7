import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { createShipReplay } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { startReader } from '../src';

const SILENCE_SECONDS = 0.2;
const CONNECTING_MS = 600;

it('does not count the time in which it connects to a node as silence of the node', async () => {
  const node = await createShipReplay({ recording: openSample('leap-snapshot') });
  // Accepts at once, and reaches the node late.
  const slow = createServer((client) => {
    client.on('error', () => undefined);
    setTimeout(() => {
      const server = connect(node.port, '127.0.0.1').on('error', () => client.destroy());
      client.pipe(server).pipe(client);
      client.on('close', () => server.destroy());
    }, CONNECTING_MS);
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const broker = new MemoryBroker();
  const keyValue = new MemoryKeyValue();
  await writeProgress(keyValue, { chainId: undefined, committed: undefined, positions: [], sequence: 0 });
  const received = new Promise<void>((resolve) => {
    void broker.consume(TOPOLOGY.rawBlocks, ({ acknowledge }) => {
      acknowledge();
      resolve();
    });
  });
  const reader = await startReader({
    config: loadConfig([], {
      HISTORY_SHIP__URLS: `ws://127.0.0.1:${(slow.address() as AddressInfo).port}`,
      HISTORY_SHIP__SILENCE_SECONDS: String(SILENCE_SECONDS),
    }),
    broker,
    keyValue,
    log: createLogger('test', 'silent'),
    registry: new Registry(),
    fail: (error) => {
      throw error;
    },
  });
  await received;
  await reader.stop();
  await node.close();
  await broker.close();
  slow.close();
});
