import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { startReader } from '../src';

const SILENCE_SECONDS = 0.2;
const CONNECTING_MS = 600;
/** 100 KB per second: the first message of the recording, the state of a snapshot of 42 KB, takes 0.4 seconds. */
const CHUNK_BYTES = 4 * 1024;
const CHUNK_EVERY_MS = 40;

let node: ShipReplay;
let slow: Server | undefined;

beforeEach(async () => {
  node = await createShipReplay({ recording: openSample('leap-snapshot') });
});

afterEach(async () => {
  slow?.close();
  await node.close();
});

/** Listens in front of the node; `join` connects the two ends. */
async function listen(join: (client: Socket, toNode: () => Socket) => void): Promise<number> {
  slow = createServer((client) => {
    client.on('error', () => undefined);
    join(client, () => {
      const server = connect(node.port, '127.0.0.1').on('error', () => client.destroy());
      client.on('close', () => server.destroy());
      return server;
    });
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  return (slow.address() as AddressInfo).port;
}

/** Reads until the first block has arrived. */
async function readFirstBlock(port: number, silenceSeconds: number): Promise<void> {
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
    config: loadConfig({
      HISTORY_SHIP__URLS: `ws://127.0.0.1:${port}`,
      HISTORY_SHIP__SILENCE_SECONDS: String(silenceSeconds),
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
  await broker.close();
}

it('does not count the time in which it connects to a node as silence of the node', async () => {
  // Accepts at once, and reaches the node late.
  const port = await listen((client, toNode) => {
    setTimeout(() => client.pipe(toNode()).pipe(client), CONNECTING_MS);
  });
  await readFirstBlock(port, SILENCE_SECONDS);
});

it('does not count the time in which a large message arrives as silence of the node', async () => {
  const port = await listen((client, toNode) => {
    const server = toNode();
    client.pipe(server);
    let waiting = Buffer.alloc(0);
    server.on('data', (bytes) => (waiting = Buffer.concat([waiting, bytes])));
    const sending = setInterval(() => {
      client.write(waiting.subarray(0, CHUNK_BYTES));
      waiting = waiting.subarray(CHUNK_BYTES);
    }, CHUNK_EVERY_MS);
    client.on('close', () => clearInterval(sending));
  });
  await readFirstBlock(port, SILENCE_SECONDS / 2);
});
