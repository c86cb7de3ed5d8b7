import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { writeProgress } from '@antelope-history/key-value';
import { openSample } from '@antelope-history/test-support/recordings';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import {
  createShipReplay,
  MISBEHAVIOURS,
  startHostileNode,
  type HostileNode,
  type Misbehaviour,
} from '@antelope-history/ship-replay';
import { startReader, type Reader } from '../src';

const recording = openSample('leap-edge');
const MIB = 1024 * 1024;
/** In `get_blocks_result_v0`: a tag and two positions precede the five optional fields. */
const EMPTY_FROM = 1 + 2 * 36;

interface LogLine {
  level: number;
  msg: string;
  code?: string;
  url?: string;
  waitSeconds?: number;
}

/** A reader of some nodes, with its log, failures and published blocks. */
class ReaderFixture {
  readonly log: LogLine[] = [];
  readonly failures: unknown[] = [];
  readonly registry = new Registry();
  readonly broker = new MemoryBroker();
  blocks = 0;
  private readonly keyValue = new MemoryKeyValue();
  private reader: Reader | undefined;

  async start(urls: string[], env: Record<string, string> = {}): Promise<void> {
    const config = loadConfig({
      ...env,
      HISTORY_SHIP__URLS: urls.join(','),
      HISTORY_SHIP__RECONNECT_MIN_SECONDS: '0.01',
      HISTORY_SHIP__RECONNECT_MAX_SECONDS: '0.05',
      HISTORY_SHIP__MAX_MESSAGE_BYTES: String(MIB),
    });
    const progress = { chainId: recording.chainId, committed: undefined, positions: [], sequence: 0 };
    await writeProgress(this.keyValue, progress);
    await this.broker.consume(TOPOLOGY.rawBlocks, ({ acknowledge }) => {
      this.blocks++;
      acknowledge();
    });
    this.reader = await startReader({
      config,
      broker: this.broker,
      keyValue: this.keyValue,
      log: createLogger('test', 'debug', { write: (line) => void this.log.push(JSON.parse(line) as LogLine) }),
      registry: this.registry,
      fail: (error) => void this.failures.push(error),
    });
  }

  ends(): LogLine[] {
    return this.log.filter(({ waitSeconds }) => waitSeconds !== undefined);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    const end = Date.now() + 60_000;
    while (!holds()) {
      if (Date.now() > end) throw new Error(`not in time: ${what}; ${JSON.stringify(this.log.slice(-3))}`);
      await sleep(5);
    }
  }

  async refusals(code: string): Promise<number> {
    const values = (await this.registry.getSingleMetric('history_ship_nodes_refused_total')?.get())?.values ?? [];
    return values.find(({ labels }) => labels['code'] === code)?.value ?? 0;
  }

  async stop(): Promise<void> {
    await this.reader?.stop();
    await this.broker.close();
  }
}

describe('a reader of a node that', () => {
  let fixture: ReaderFixture;
  let hostile: HostileNode | undefined;
  beforeEach(() => (fixture = new ReaderFixture()));
  afterEach(async () => {
    await fixture.stop();
    await hostile?.close();
  });

  const misbehave = async (...ways: Misbehaviour[]): Promise<string> => {
    hostile = await startHostileNode(recording, ways);
    return hostile.url.replace('ws://', 'ws://reader:secret@');
  };

  it.each(Object.entries(MISBEHAVIOURS))(
    '%s refuses it, logs the reason, and tries again',
    async (_what, way) => {
      await fixture.start([await misbehave(way)]);
      await fixture.until('it ends twice', () => fixture.ends().length >= 2);
      expect(fixture.ends()[0]).toMatchObject({ code: way.code, level: 40, url: hostile?.url });
      expect(fixture.ends()[0]!.msg.length).toBeLessThan(1_000);
      expect(JSON.stringify(fixture.log)).not.toContain('secret');
      expect(fixture.failures).toEqual([]);
      expect(fixture.blocks).toBe(0);
      if (way.code !== 'SHIP_MESSAGE_CORRUPT') expect(await fixture.refusals(way.code)).toBeGreaterThanOrEqual(2);
    },
    30_000,
  );

  it('misbehaves in every way, one after the other, continues with the next node', async () => {
    const good = await createShipReplay({ recording });
    const ways = Object.values(MISBEHAVIOURS);
    await fixture.start([await misbehave(...ways), good.url]);
    const dropping = setInterval(() => {
      good.dropConnections();
    }, 30);
    await fixture.until('every way was seen', () => (hostile?.connections ?? 0) > ways.length);
    clearInterval(dropping);
    await fixture.until('all is read', () => good.stats.position === good.stats.length);
    expect(fixture.blocks).toBeGreaterThan(0);
    expect(fixture.failures).toEqual([]);
    await good.close();
  });

  it('sends messages without a block is left after the configured time', async () => {
    const withoutBlock: Misbehaviour = {
      code: 'SHIP_SILENT',
      blocks(socket, { blocks }) {
        const empty = Buffer.concat([blocks[0]!.subarray(0, EMPTY_FROM), Buffer.alloc(5)]);
        const sending = setInterval(() => socket.send(empty), 20);
        socket.on('close', () => clearInterval(sending));
      },
    };
    await fixture.start([await misbehave(withoutBlock)], { HISTORY_SHIP__SILENCE_SECONDS: '0.3' });
    await fixture.until('it ends', () => fixture.ends().length >= 1);
    expect(fixture.ends()[0]).toMatchObject({ code: 'SHIP_SILENT' });
  });

  it.each([
    ['one block', (blocks: Buffer[]) => blocks.slice(5, 6)],
    ['ten blocks', (blocks: Buffer[]) => blocks.slice(5, 15)],
  ])('repeats %s is left after the configured time', async (_what, chosen) => {
    const repeats: Misbehaviour = {
      code: 'SHIP_SILENT',
      blocks(socket, { blocks }) {
        const messages = chosen(blocks);
        let sent = 0;
        const sending = setInterval(() => socket.send(messages[sent++ % messages.length]!), 20);
        socket.on('close', () => clearInterval(sending));
      },
    };
    await fixture.start([await misbehave(repeats)], { HISTORY_SHIP__SILENCE_SECONDS: '0.5' });
    await fixture.until('it ends', () => fixture.ends().length >= 1);
    expect(fixture.ends()[0]).toMatchObject({ code: 'SHIP_SILENT' });
    expect(fixture.blocks).toBeGreaterThan(0);
  });

  it('pings and never reads buffers a limited number of pongs', async () => {
    const pings: Misbehaviour = {
      code: 'SHIP_DISCONNECTED',
      blocks(socket) {
        socket.pause();
        for (let sent = 0; sent < 200_000; sent++) socket.ping(Buffer.alloc(125));
      },
    };
    const before = process.memoryUsage().rss;
    await fixture.start([await misbehave(pings)]);
    await fixture.until('it ends', () => fixture.ends().length >= 1);
    expect(fixture.ends()[0]).toMatchObject({ code: 'SHIP_DISCONNECTED' });
    expect(fixture.ends()[0]!.msg).toContain('the node does not read the messages that it is sent');
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * MIB);
  }, 30_000);
});
