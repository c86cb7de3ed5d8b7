import { describe, expect, it } from '@jest/globals';
import type { BlockRecords } from '@antelope-history/records';
import { hasErrorCode } from '@antelope-history/schemas';
import fc from 'fast-check';
import type { StoreReader, StoreWriter } from '../history-store';
import { blockPlan } from './block-plans';
import { Comparison } from './comparison';
import { ABIS, DATA } from './data-plans';
import type { HistoryStore } from './join-store';
import { ModelHistory } from './model-history';
import { SimulatedReader } from './simulated-reader';
import type { StoreContract, StoreUnderTest } from './store-under-test';
import type { BlockPlan } from './synthetic-chain';
import { expectWhole } from './wholeness-cases';
import { timeLimit } from './with-store';

const SEED = 415;
const WRITERS = 3;

type Step =
  | { kind: 'grow'; plans: BlockPlan[] }
  | { kind: 'fork'; depth: number; plans: BlockPlan[] }
  | { kind: 'makeIrreversible'; depth: number }
  | { kind: 'read'; count: number }
  | { kind: 'reconnect' }
  | { kind: 'restart' }
  | { kind: 'deliver'; order: number; count: number; again: boolean }
  | { kind: 'die'; order: number; count: number };

const plans = fc.array(blockPlan, { minLength: 1, maxLength: 4 });
const few = fc.integer({ min: 1, max: 5 });
const order = fc.nat(1_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grow' as const), plans }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fork' as const), depth: few, plans }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('makeIrreversible' as const), depth: few }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), count: few }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reconnect' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), order, count: few, again: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), order, count: few }) },
);

/** Several writers at once: whatever each of them writes and when, blocks become visible whole and in order. */
export function describeManyWriters(contract: StoreContract): void {
  describe('many writers', () => {
    const numRuns = contract.size.chains;
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), (steps) =>
      withWriters(contract, async (run) => {
        run.reader.grow([steps.length % 2 === 0 ? EMPTY : BUSY, BUSY]);
        for (const each of steps) await run.take(each);
        await run.finish();
      }),
    );
    it(
      "end with the node's chain, whatever blocks they get, in any order, late, twice, or before they die",
      () => fc.assert(property, { seed: SEED, numRuns }),
      timeLimit(contract, 120_000),
    );

    it(
      'have data decoded again that was decoded with an ABI that an earlier block replaces',
      () => withWriters(contract, decodesDataAgain),
      timeLimit(contract, 60_000),
    );

    it(
      'show whole blocks only, while each writes a forking chain in an order of its own',
      () => withWriters(contract, showsWholeBlocks),
      timeLimit(contract, 60_000),
    );
  });
}

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 0 };
const PAID: BlockPlan = { transactions: [[{ ...TRANSFER, data: DATA[1] }]], abis: [], permissions: [] };

/** One writer decodes a block's data before another one writes the block that sets a new ABI. */
async function decodesDataAgain(run: Run): Promise<void> {
  const [one, other] = run.writers as [StoreWriter, StoreWriter];
  const setting = (abi: Buffer | undefined): BlockPlan => ({
    ...PAID,
    abis: [{ account: 'alice', abi: abi as Buffer }],
  });
  run.reader.grow([setting(ABIS[0]), PAID]);
  await one.writeBlocks(run.reader.read(2));
  run.reader.grow([setting(ABIS[1]), PAID]);
  const [sets, pays] = run.reader.read(2) as [BlockRecords, BlockRecords];
  await other.writeBlocks([pays]);
  await expect(one.writeBlocks([sets])).rejects.toMatchObject({ code: 'ABI_OUTDATED' });
  expect((await run.apiReader.getStatus()).committed).toEqual(sets.position);
  await run.refetch();
  await run.finish();
}

const EMPTY: BlockPlan = { transactions: [], abis: [], permissions: [] };
const BUSY: BlockPlan = {
  transactions: [
    [{ account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 100 }],
    [{ account: 'hot', name: 'pong', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 8 }],
  ],
  abis: [{ account: 'hot', abi: Buffer.from('an ABI') }],
  permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, 2)], actors: ['cold'] } }],
};

async function showsWholeBlocks(run: Run): Promise<void> {
  const seen = new Map<string, BlockRecords>();
  const batches: BlockRecords[][] = [];
  for (let index = 0; index < 20; index++) {
    if (index % 4 === 3) run.reader.fork(3, Array<BlockPlan>(5).fill(BUSY));
    else run.reader.grow(Array<BlockPlan>(4).fill(BUSY));
    for (const block of run.reader.chain) seen.set(block.position.id, block);
    batches.push(run.reader.read(Infinity));
  }
  const messages = batches.flat();
  const shares = run.writers.map((_, index) => messages.filter((__, number) => number % WRITERS === index));
  const ended = Promise.all(run.writers.map((writer, index) => writeLate(writer, shares[index] ?? []))).then(
    () => true,
  );
  let reads = 0;
  while (!(await Promise.race([ended, expectWhole(run.apiReader, seen).then(() => false)]))) reads++;
  expect(reads).toBeGreaterThan(3);
  await run.finish();
}

/** Writes groups of messages in reverse order, within a broker's prefetch. */
async function writeLate(writer: StoreWriter, messages: readonly BlockRecords[]): Promise<void> {
  for (let start = 0; start < messages.length; start += 6) {
    await writer.writeBlocks(messages.slice(start, start + 6).reverse());
  }
}

async function withWriters(contract: StoreContract, body: (run: Run) => Promise<void>): Promise<void> {
  const under = await contract.open();
  try {
    const run = new Run(under, under.store, await under.openReader());
    await run.openWriters();
    await body(run);
    await Promise.all([run.apiReader, ...run.writers].map((handle) => handle.close()));
  } finally {
    await under.dispose();
  }
}

/** A chain that passes through a reader and several writers. */
class Run {
  readonly reader = new SimulatedReader();
  readonly writers: StoreWriter[] = [];
  /** Messages that were read and not acknowledged yet: they are delivered again until they are. */
  private undelivered: BlockRecords[] = [];

  constructor(
    private readonly under: StoreUnderTest,
    private readonly store: HistoryStore,
    readonly apiReader: StoreReader,
  ) {}

  async openWriters(): Promise<void> {
    for (let index = 0; index < WRITERS; index++) this.writers.push(await this.under.openWriter());
  }

  async take(next: Step): Promise<void> {
    const { reader } = this;
    switch (next.kind) {
      case 'grow':
        reader.grow(next.plans);
        break;
      case 'fork':
        reader.fork(next.depth, next.plans);
        break;
      case 'makeIrreversible':
        reader.makeIrreversible(next.depth);
        break;
      case 'read':
        this.undelivered.push(...reader.read(next.count));
        break;
      case 'reconnect':
        reader.reconnect();
        break;
      case 'restart':
        reader.restart((await this.store.getProgress()).positions);
        break;
      case 'deliver':
        await this.deliver(next.order, next.count, next.again);
        break;
      case 'die':
        await this.dieWriting(next.order, next.count);
    }
  }

  /** Delivers everything; then the store equals one that was given the node's chain. */
  async finish(): Promise<void> {
    this.reader.grow([BUSY, EMPTY]);
    this.undelivered.push(...this.reader.read(Infinity));
    while (this.undelivered.length > 0) await this.deliver(this.undelivered.length * 7, 4, false);
    await this.store.maintain();
    const model = ModelHistory.of(this.reader.chain);
    const comparison = new Comparison(this.apiReader, model);
    await comparison.status();
    await comparison.progress(this.store);
    await comparison.sampledActions(30, SEED);
    await comparison.everyDataValue();
    await comparison.permissionsOf(model.committedBlocks);
    await comparison.abisOf(model.committedBlocks.slice(-6));
    for (const { position } of model.committedBlocks.slice(-6)) await comparison.block({ id: position.id });
  }

  /** Delivers some messages to all writers at once. */
  private async deliver(order: number, count: number, again: boolean): Promise<void> {
    const shares = this.writers.map((_, index) => this.pick(order + index, count));
    if (again) this.undelivered.push(...shares.flat().slice(0, 2));
    const results = await Promise.allSettled(
      this.writers.map((writer, index) =>
        writer.writeBlocks(shares[index] ?? [], (block) => this.undelivered.push(block)),
      ),
    );
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    const other = failed.find((error) => !hasErrorCode(error, 'ABI_OUTDATED'));
    if (other !== undefined) throw other as Error;
    if (failed.length > 0) await this.refetch();
  }

  /** As the indexers have it after `ABI_OUTDATED`: the reader continues from the committed position. */
  async refetch(): Promise<void> {
    this.reader.restart((await this.store.getProgress()).positions);
    this.undelivered.push(...this.reader.read(Infinity));
  }

  /** A writer dies during a write; its unacknowledged messages are delivered to another. */
  private async dieWriting(order: number, count: number): Promise<void> {
    const messages = this.pick(order, count);
    const victim = order % WRITERS;
    const dying = this.writers[victim] as StoreWriter;
    const writing = dying.writeBlocks(messages).catch((error: unknown) => {
      const isExpected = ['STOPPED', 'STORE_UNAVAILABLE', 'ABI_OUTDATED'] as const;
      if (!isExpected.some((code) => hasErrorCode(error, code))) throw error;
    });
    this.writers[victim] = await this.under.openWriter();
    await dying.close();
    await writing;
    this.undelivered.push(...messages);
  }

  private pick(order: number, count: number): BlockRecords[] {
    const picked: BlockRecords[] = [];
    while (picked.length < count && this.undelivered.length > 0) {
      picked.push(...this.undelivered.splice((order * 13) % this.undelivered.length, 1));
    }
    return picked;
  }
}
