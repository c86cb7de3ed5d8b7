import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type RefetchRequest } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { openSample } from '@antelope-history/test-support/recordings';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { startReader, type Reader } from '../src';

const recording = openSample('leap-snapshot');

interface LogLine {
  level: number;
  msg: string;
  code?: string;
  waitSeconds?: number;
}

describe('a refetch request', () => {
  const broker = new MemoryBroker();
  const registry = new Registry();
  const log: LogLine[] = [];
  let blocks = 0;
  let node: ShipReplay;
  let reader: Reader;

  beforeAll(async () => {
    node = await createShipReplay({ recording });
    const keyValue = new MemoryKeyValue();
    await writeProgress(keyValue, { chainId: undefined, committed: undefined, positions: [], sequence: 0 });
    await broker.consume(TOPOLOGY.rawBlocks, ({ acknowledge }) => {
      blocks++;
      acknowledge();
    });
    reader = await startReader({
      config: loadConfig({
        HISTORY_SHIP__URLS: node.url,
        HISTORY_SHIP__RECONNECT_MIN_SECONDS: '0.01',
        HISTORY_SHIP__RECONNECT_MAX_SECONDS: '0.02',
      }),
      broker,
      keyValue,
      log: createLogger('test', 'debug', { write: (line) => void log.push(JSON.parse(line) as LogLine) }),
      registry,
      fail: (error) => {
        throw error;
      },
    });
    await until(() => blocks >= recording.messages.length);
  });

  afterAll(async () => {
    await reader.stop();
    await node.close();
    await broker.close();
  });

  async function until(holds: () => boolean): Promise<void> {
    const end = Date.now() + 60_000;
    while (!holds()) {
      if (Date.now() > end) throw new Error(`not within 20 seconds; log: ${JSON.stringify(log.slice(-3))}`);
      await sleep(5);
    }
  }

  async function count(metric: string, code: string): Promise<number> {
    const { values = [] } = (await registry.getSingleMetric(metric)?.get()) ?? {};
    return values.find(({ labels }) => labels['code'] === code)?.value ?? 0;
  }

  /** Sends a request and waits until the whole recording was read again; returns the log line of the session's end. */
  async function refetch(request: RefetchRequest): Promise<LogLine | undefined> {
    const lines = log.length;
    const before = blocks;
    await broker.publish(TOPOLOGY.refetch, request);
    await until(() => blocks >= before + recording.messages.length);
    return log.slice(lines).find(({ waitSeconds }) => waitSeconds !== undefined);
  }

  it.each(['BLOCK_GAP', 'BLOCK_REFUSED', 'DECODE_FAILED', 'FORK_TOO_DEEP'])(
    'is counted and logged under its own code %s',
    async (code) => {
      const corrupt = await count('history_ship_disconnects_total', 'SHIP_MESSAGE_CORRUPT');
      const end = await refetch({ code, reason: `the reason of ${code}` });
      expect(end).toMatchObject({ code, level: 40, msg: expect.stringContaining(`the reason of ${code}`) });
      expect(await count('history_ship_disconnects_total', code)).toBe(1);
      expect(await count('history_ship_disconnects_total', 'SHIP_MESSAGE_CORRUPT')).toBe(corrupt);
    },
  );

  it('of an earlier version, which carries a block number, is accepted', async () => {
    const request = { fromBlock: 7, code: 'BLOCK_GAP', reason: 'as version 4.1 sends it' };
    const { codec } = TOPOLOGY.refetch;
    expect(await refetch(codec.decode(Buffer.from(JSON.stringify(request))))).toMatchObject({ code: 'BLOCK_GAP' });
  });

  it('with an unknown code is counted under a known one', async () => {
    expect(await refetch({ code: 'OF_ANOTHER_VERSION', reason: 'none' })).toMatchObject({
      code: 'SHIP_MESSAGE_CORRUPT',
    });
    expect(log).toContainEqual(expect.objectContaining({ code: 'OF_ANOTHER_VERSION', level: 40 }));
  });
});
