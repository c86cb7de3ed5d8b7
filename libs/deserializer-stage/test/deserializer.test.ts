import path from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Delivery, type Queue, type RefetchRequest, type Subscription, TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import type { BlockRecords, RawBlock } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { createLogger, type Logger, Registry } from '@antelope-history/app-runtime';
import { openRecording, openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import {
  type BlockDeserializer,
  type BlockDeserializerOptions,
  createBlockDeserializer,
  type Deserializer,
  startDeserializer,
} from '../src/index';

const { abi, messages } = openSample('leap-forks');
const RAW = messages.map(({ bytes }): RawBlock => ({
  abi,
  message: bytes,
  chainId: undefined,
  streamPosition: { epoch: 1, sequence: 1 },
}));
const NUMBERS = messages.map(({ thisBlock }) => thisBlock!.num);

/** In a message: after the variant tag, two positions, the flag and the position of `this_block`, a flag and a number. */
const PREVIOUS_ID_AT = 1 + 36 + 36 + 1 + 36 + 1 + 4;

/** A broker that refuses the next `failing` messages of the deserializer. */
class FailingBroker extends MemoryBroker {
  failing = 0;

  override async publish<T>(queue: Queue<T>, message: T): Promise<void> {
    if (queue.name !== TOPOLOGY.rawBlocks.name && this.failing-- > 0) {
      throw new HistoryError('BROKER_UNAVAILABLE', 'refused by the test');
    }
    await super.publish(queue, message);
  }
}

let broker: FailingBroker;
let registry: Registry;
let received: BlockRecords[];
let refetches: RefetchRequest[];
let deserializer: Deserializer;

beforeEach(async () => {
  broker = new FailingBroker();
  received = [];
  refetches = [];
  await broker.consume<RefetchRequest>(TOPOLOGY.refetch, (delivery) => {
    refetches.push(delivery.message);
    delivery.acknowledge();
  });
  deserializer = await start();
});

afterEach(async () => {
  await deserializer.stop();
  await broker.close();
});

function start(verifyBlocks: VerifiedBlocks = 'all'): Promise<Deserializer> {
  registry = new Registry();
  return startDeserializer({ broker, log: silentLog(), registry, blockDeserializer: blocksOf(verifyBlocks) });
}

function silentLog(): Logger {
  return createLogger('test', 'silent', new Writable({ write: (_chunk, _encoding, done) => done() }));
}

const blocksOf = (verifyBlocks: VerifiedBlocks): BlockDeserializer =>
  createBlockDeserializer({ registry, config: { indexer: { verifyBlocks } } });

type VerifiedBlocks = BlockDeserializerOptions['config']['indexer']['verifyBlocks'];

function receive(): Promise<Subscription> {
  return broker.consume<BlockRecords>(TOPOLOGY.blockRecords, (delivery) => {
    received.push(delivery.message);
    delivery.acknowledge();
  });
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ten seconds: ${what}`);
    await sleep(5);
  }
}

async function publish(blocks: readonly RawBlock[]): Promise<void> {
  for (const block of blocks) await broker.publish(TOPOLOGY.rawBlocks, block);
}

const rawMessages = async (): Promise<number> => (await broker.depth(TOPOLOGY.rawBlocks)).messages;
const receivedNumbers = (): number[] => received.map(({ position }) => position.num);

describe('the deserializer', () => {
  it('publishes the records of each block in order and acknowledges the block', async () => {
    await receive();
    await publish(RAW);
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect(receivedNumbers()).toEqual(NUMBERS);
    expect(refetches).toEqual([]);
  });

  it('publishes a block that takes many turns to verify before the blocks after it', async () => {
    const hostile = openRecording(path.join(sampleFolder('leap-forks'), '..', 'hostile'));
    const first = hostile.messages.findIndex(({ thisBlock }) => thisBlock?.num === 190);
    const blocks = hostile.messages.slice(first, first + 3);
    await receive();
    await publish(blocks.map(({ bytes }) => ({ ...RAW[0]!, abi: hostile.abi, message: bytes })));
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect(receivedNumbers()).toEqual(blocks.map(({ thisBlock }) => thisBlock?.num));
    expect(received[0]?.transactions.reduce((count, { actions }) => count + actions.length, 0)).toBeGreaterThan(10_000);
  });

  it('dead-letters a block that does not decode, requests a refetch, and continues', async () => {
    await receive();
    const broken = Buffer.from(RAW[5]!.message);
    broken[messages[5]!.traces.start]! ^= 0x40;
    const noResult = Buffer.from([0x7f]);
    await publish([...RAW.slice(0, 5), { ...RAW[5]!, message: broken }, { ...RAW[6]!, message: noResult }, RAW[7]!]);
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect(receivedNumbers()).toEqual([...NUMBERS.slice(0, 5), NUMBERS[7]]);
    const dead = await broker.deadLetters(TOPOLOGY.rawBlocks);
    expect(dead.map(({ message }) => message?.message)).toEqual([broken, noResult]);
    expect(dead[0]!.reason.message).toContain(`block ${NUMBERS[5]}: `);
    expect(refetches.map(({ code, reason }) => ({ code, reason }))).toEqual(
      dead.map(({ reason }) => ({ code: reason.code, reason: reason.message })),
    );
    const failures = await registry.getSingleMetric('history_corrupt_blocks_total')?.get();
    expect(failures!.values.reduce((sum, { value }) => sum + value, 0)).toBe(2);
  });

  it('refuses a block that names another previous block than its header', async () => {
    await receive();
    const altered = Buffer.from(RAW[5]!.message);
    altered[PREVIOUS_ID_AT + 31]! ^= 1;
    await publish([{ ...RAW[5]!, message: altered }, RAW[6]!]);
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect(receivedNumbers()).toEqual([NUMBERS[6]]);
    expect(refetches.map(({ code }) => code)).toEqual(['BLOCK_ALTERED']);
  });

  it('dead-letters no block while the broker is unavailable', async () => {
    await receive();
    broker.failing = 3;
    await publish(RAW.slice(0, 10));
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect(receivedNumbers().sort((left, right) => left - right)).toEqual(NUMBERS.slice(0, 10));
    expect(await broker.deadLetters(TOPOLOGY.rawBlocks)).toEqual([]);
    expect(refetches).toEqual([]);
  });

  it('requests the refetch of a block that does not decode also when the broker was unavailable', async () => {
    broker.failing = 1;
    await publish([{ ...RAW[0]!, message: Buffer.from([0x7f]) }]);
    await until('it is dead-lettered', async () => (await broker.deadLetters(TOPOLOGY.rawBlocks)).length === 1);
    await until('the request', () => refetches.length === 1);
  });

  it('stops soon while its records are not consumed, and loses no block', async () => {
    const publishing = publish(RAW);
    const { maxMessages } = TOPOLOGY.blockRecords;
    await until('the queue is full', async () => (await broker.depth(TOPOLOGY.blockRecords)).messages === maxMessages);
    const stopping = performance.now();
    await deserializer.stop();
    expect(performance.now() - stopping).toBeLessThan(5_000);
    deserializer = await start();
    await receive();
    await publishing;
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect([...new Set(receivedNumbers())]).toEqual([...new Set(NUMBERS)]);
    expect(received.length).toBeGreaterThanOrEqual(RAW.length);
  });
});

/** Deserializes several blocks at a time, each of which takes a random number of turns of the event loop. */
class SlowBlocks implements BlockDeserializer {
  readonly concurrency = 4;
  /** The largest number of blocks at the same time. */
  most = 0;
  private working = 0;
  private readonly own = blocksOf('off');

  constructor(
    private readonly seed: number,
    private readonly failing: ReadonlyMap<Buffer, HistoryError>,
  ) {}

  async deserialize(raw: RawBlock): Promise<BlockRecords | undefined> {
    this.most = Math.max(this.most, ++this.working);
    for (let turns = (raw.message.length * this.seed) % 7; turns > 0; turns--) await nextTurn();
    this.working--;
    const error = this.failing.get(raw.message);
    if (error) throw error;
    return this.own.deserialize(raw);
  }
}

describe('a deserializer that works on several blocks at a time', () => {
  const corrupt = new HistoryError('DECODE_FAILED', 'refused by the test');
  const BAD = [4, 11, 12];
  beforeEach(() => deserializer.stop());

  const startSlow = async (blocks: BlockDeserializer): Promise<void> => {
    deserializer = await startDeserializer({ broker, log: silentLog(), registry, blockDeserializer: blocks });
  };

  it.each([1, 2, 3, 4, 5, 6])('passes blocks and errors on in the order of the blocks (seed %i)', async (seed) => {
    registry = new Registry();
    const blocks = new SlowBlocks(seed, new Map(BAD.map((index) => [RAW[index]!.message, corrupt])));
    await startSlow(blocks);
    await receive();
    await publish(RAW);
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect(receivedNumbers()).toEqual(NUMBERS.filter((_, index) => !BAD.includes(index)));
    const dead = await broker.deadLetters(TOPOLOGY.rawBlocks);
    expect(dead.map(({ message }) => message?.message)).toEqual(BAD.map((index) => RAW[index]!.message));
    expect(refetches).toHaveLength(BAD.length);
    expect(blocks.most).toBe(blocks.concurrency);
  });

  it('loses no block that was not deserialized because its deserializer ended', async () => {
    registry = new Registry();
    const ended = new HistoryError('STOPPED', 'refused by the test');
    await startSlow(new SlowBlocks(1, new Map([[RAW[6]!.message, ended]])));
    await receive();
    await publish(RAW.slice(0, 10));
    await until('all others are acknowledged', async () => (await rawMessages()) === 1);
    await deserializer.stop();
    deserializer = await start();
    await until('all are acknowledged', async () => (await rawMessages()) === 0);
    expect(receivedNumbers().sort((left, right) => left - right)).toEqual(NUMBERS.slice(0, 10));
    expect(await broker.deadLetters(TOPOLOGY.rawBlocks)).toEqual([]);
    expect(refetches).toEqual([]);
  });
});

/** A broker that hands its raw blocks out again and again, and whose next queue takes nothing until it is released. */
class RenewedBroker extends MemoryBroker {
  publishes = 0;
  private renewals = 0;
  private handOut: (delivery: Delivery<RawBlock>) => void = () => undefined;
  private unblock = (): void => undefined;
  private readonly opened = new Promise<void>((resolve) => (this.unblock = resolve));

  override async consume<T>(queue: Queue<T>, onDelivery: (delivery: Delivery<T>) => void): Promise<Subscription> {
    if (queue.name === TOPOLOGY.rawBlocks.name) this.handOut = onDelivery as typeof this.handOut;
    return { cancel: async () => undefined };
  }

  override async publish<T>(_queue: Queue<T>, _message: T): Promise<void> {
    this.publishes++;
    await this.opened;
  }

  /** The connection is lost and made again: all unsettled messages are delivered anew. */
  renew(): void {
    const own = ++this.renewals;
    const nothing = (): void => undefined;
    const isLost = (): boolean => own !== this.renewals;
    for (const message of RAW.slice(0, TOPOLOGY.rawBlocks.prefetch)) {
      const bytes = message.message.length;
      this.handOut({
        message,
        bytes,
        redelivered: true,
        isLost,
        acknowledge: nothing,
        reject: nothing,
        requeue: nothing,
      });
    }
  }

  release(): void {
    this.unblock();
  }
}

it('blocks that are delivered again replace the lost ones while nothing can be published', async () => {
  const renewed = new RenewedBroker();
  const dependencies = {
    broker: renewed,
    log: silentLog(),
    registry: new Registry(),
    blockDeserializer: blocksOf('off'),
  };
  const stage = await startDeserializer(dependencies);
  const { prefetch } = TOPOLOGY.rawBlocks;
  for (let times = 0; times < 20; times++) {
    renewed.renew();
    for (let turn = 0; turn < prefetch; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(renewed.publishes).toBe(prefetch);
  renewed.release();
  for (let turn = 0; turn < prefetch * 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(renewed.publishes).toBe(prefetch * 2);
  await stage.stop();
  await renewed.close();
});
