import fc from 'fast-check';
import { createAbiReader, LargeResponses } from '@antelope-history/endpoint-kit';
import { Registry } from '@antelope-history/app-runtime';
import type { BlockRecords } from '@antelope-history/records';
import { type BlockPosition, hasErrorCode } from '@antelope-history/schemas';
import { type BlockPlan, ModelHistory, SyntheticChain } from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import { ActionStream, type StreamEvent, type StreamQuery } from '../src/stream/action-stream';
import { parseCursor } from '../src/stream/stream-cursor';
import { EVERYTHING, ModelHead } from './stream-fixture';

const REMOVING_RUNS = testSize({ usual: 150, long: 600 });
const ACTION = { account: 'token', name: 'transfer', creatorDistance: 0, dataBytes: 8 };

/** Blocks with few and with more actions than a page has, some of them of alice. */
const plan: fc.Arbitrary<BlockPlan> = fc
  .oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.integer({ min: 90, max: 230 }) })
  .map((count) => ({
    transactions: Array.from({ length: count }, (_, index) => [
      { ...ACTION, actor: index % 2 ? 'alice' : 'bob', notified: index % 3 ? [] : ['carol'] },
    ]),
    abis: [],
    permissions: [],
  }));
const plans = fc.array(plan, { minLength: 1, maxLength: 4 });

type Step =
  | { kind: 'grow'; plans: BlockPlan[] }
  | { kind: 'fork'; depth: number; plans: BlockPlan[] }
  | { kind: 'makeIrreversible'; depth: number }
  | { kind: 'remove'; blocks: number }
  | { kind: 'read'; events: number }
  | { kind: 'reconnect' }
  /** `change` happens while the stream reads: before the read of the store with this number, counted from 1. */
  | { kind: 'change while reading'; reads: number; change: Step };

const change: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grow' as const), plans }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 8 }), plans }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('makeIrreversible' as const), depth: fc.nat(5) }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: change },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('change while reading' as const),
      reads: fc.integer({ min: 1, max: 6 }),
      change,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), events: fc.integer({ min: 1, max: 150 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reconnect' as const) }) },
);
const stepOfRemoving: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: step },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('makeIrreversible' as const), depth: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), blocks: fc.integer({ min: 1, max: 10 }) }),
  },
);

/** A reader of a model that awaits `beforeRead` before each read of the chain. */
function readerOf(model: ModelHistory, beforeRead: () => Promise<void>): ModelHistory {
  const before =
    <Input extends unknown[], Output>(read: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      await beforeRead();
      return read.apply(model, input);
    };
  return Object.assign(Object.create(model) as ModelHistory, {
    getStatus: before(() => model.getStatus()),
    getBlock: before((...input: Parameters<ModelHistory['getBlock']>) => model.getBlock(...input)),
    getActions: before((...input: Parameters<ModelHistory['getActions']>) => model.getActions(...input)),
  });
}

interface Row {
  sequence: number;
  block: BlockPosition;
}

/** A client that keeps the rows of a stream, drops those that a fork voids, and continues at its last event. */
class Client {
  rows: Row[] = [];
  forks = 0;
  /** The last irreversible block that the stream named; 0 before. */
  irreversibleNum = 0;
  /** The first block of the stream, and how often it began anew because what followed was removed. */
  firstBlockNum = 1;
  restarts = 0;
  private lastId: string | undefined;
  private events: AsyncGenerator<StreamEvent, never>;
  private next: Promise<IteratorResult<StreamEvent, never>> | undefined;
  private abort = new AbortController();

  constructor(
    private readonly model: ModelHistory,
    private readonly head: ModelHead,
    private readonly query: StreamQuery,
  ) {
    this.events = this.open();
  }

  /** Takes events until there are none, or as many. */
  async read(count = Infinity): Promise<void> {
    for (let taken = 0; taken < count; taken++) {
      const idle = this.head.idle();
      this.head.announce();
      this.next ??= this.events.next();
      const result = await Promise.race([this.next, idle]).catch((error: unknown) => this.restart(error));
      if (result === 'idle') return;
      this.next = undefined;
      if (result === 'restarted') continue;
      if (this.lastId === undefined) await this.begin(result.value);
      this.take(result.value);
    }
  }

  /** The first event tells where the stream began: at the first block that there was then. */
  private async begin(event: StreamEvent): Promise<void> {
    const { firstBlockNum = 1 } = await this.model.getStatus();
    this.firstBlockNum = Math.min(firstBlockNum, event.type === 'action' ? toRow(event.row).block.num : firstBlockNum);
  }

  /** Begins anew with the first block that there is, where the stream says that what followed was removed. */
  private restart(error: unknown): 'restarted' {
    if (!hasErrorCode(error, 'BLOCKS_REMOVED')) throw error;
    this.rows = [];
    this.lastId = undefined;
    this.restarts++;
    this.reconnect();
    return 'restarted';
  }

  /** Drops what was not taken, as a closed connection does. */
  reconnect(): void {
    this.next?.catch(() => undefined);
    this.next = undefined;
    this.abort.abort(new Error('the client left'));
    this.abort = new AbortController();
    this.events = this.open();
  }

  private open(): AsyncGenerator<StreamEvent, never> {
    const { model: reader, head } = this;
    const abis = createAbiReader(reader, new Registry(), 'test');
    const deps = { reader, abis, head, largeResponses: new LargeResponses() };
    const stream = new ActionStream(deps, this.query, this.abort.signal);
    return stream.events(this.lastId === undefined ? undefined : parseCursor('cursor', this.lastId));
  }

  private take(event: StreamEvent): void {
    this.lastId = event.id;
    // Each block is announced once, also to a client that reconnects.
    if (event.type === 'irreversible' && event.block.num <= this.irreversibleNum)
      throw new Error(`block ${event.block.num} was announced before`);
    if (event.type === 'irreversible') this.irreversibleNum = event.block.num;
    if (event.type === 'action') this.rows.push(toRow(event.row));
    if (event.type !== 'fork') return;
    // What a client has done because rows are irreversible stays done.
    if (event.block.num < this.irreversibleNum)
      throw new Error(`the rows above block ${event.block.num} are void, ${this.irreversibleNum} is irreversible`);
    this.forks++;
    while ((this.rows.at(-1)?.block.num ?? 0) > event.block.num) this.rows.pop();
  }
}

function toRow(text: string): Row {
  const { block_num, action_trace } = JSON.parse(text) as {
    block_num: number;
    action_trace: { producer_block_id: string; receipt: { global_sequence: string } };
  };
  return {
    sequence: Number(action_trace.receipt.global_sequence),
    block: { num: block_num, id: action_trace.producer_block_id },
  };
}

async function committedRows(
  model: ModelHistory,
  { account, firstBlockNum = 1 }: StreamQuery,
  upTo: number,
): Promise<Row[]> {
  const { rows } = await model.getActions({
    account,
    filters: [],
    data: [],
    after: { blockNum: firstBlockNum },
    before: { blockNum: Math.max(1, upTo) },
    parent: undefined,
    order: 'asc',
    skip: 0,
    limit: 1e6,
    window: 'skip',
  });
  return rows.map(({ action, blockNum, blockId }) => {
    const shown = action.traces.find(({ receiver }) => receiver === account) ?? action.traces[0];
    return { sequence: shown?.receipt.globalSequence ?? 0, block: { num: blockNum, id: blockId } };
  });
}

/** One chain and a client of its stream. */
class Run {
  readonly model = new ModelHistory();
  /** With the blocks that were removed from the model. */
  readonly whole = new ModelHistory();
  readonly client: Client;
  private readonly chain = new SyntheticChain();
  private irreversible: BlockPosition | undefined;
  /** Changes that happen once the stream has read so often, the next one first. */
  private readonly planned: { reads: number; change: Step }[] = [];

  constructor(query: StreamQuery) {
    const reader = readerOf(this.model, () => this.changeBeforeRead());
    this.client = new Client(reader, new ModelHead(reader), query);
  }

  async take(next: Step): Promise<void> {
    const committed = this.model.committedBlocks;
    switch (next.kind) {
      case 'grow':
        return this.write(committed.at(-1), next.plans);
      case 'fork':
        return this.write(this.forkPoint(next.depth), next.plans);
      case 'makeIrreversible':
        this.irreversible = committed.at(-1 - next.depth)?.position ?? this.irreversible;
        return;
      case 'remove': {
        const first = (committed[0]?.position.num ?? 0) + next.blocks;
        const last = Math.min(this.model.irreversibleNum, committed.at(-1)?.position.num ?? 0);
        if (first <= last) this.model.removeBefore(first);
        return;
      }
      case 'read':
        return this.client.read(next.events);
      case 'reconnect': {
        this.client.reconnect();
        return;
      }
      case 'change while reading': {
        this.planned.push(next);
        return;
      }
    }
  }

  private async changeBeforeRead(): Promise<void> {
    const [next] = this.planned;
    if (!next || --next.reads > 0) return;
    this.planned.shift();
    await this.take(next.change);
  }

  private forkPoint(depth: number): BlockRecords | undefined {
    const committed = this.model.committedBlocks;
    // The next block that is written makes it irreversible.
    const fixed = Math.max(this.model.irreversibleNum, this.irreversible?.num ?? 0);
    const least = committed.filter(({ position }) => position.num <= fixed).length;
    return committed[Math.max(least, committed.length - depth) - 1];
  }

  private async write(parent: BlockRecords | undefined, blockPlans: BlockPlan[]): Promise<void> {
    const blocks = this.chain.blocks(parent, blockPlans, this.irreversible);
    await this.model.writeBlocks(blocks);
    await this.whole.writeBlocks(blocks);
  }
}

describe('a stream of actions', () => {
  const queries: StreamQuery[] = [
    EVERYTHING,
    { ...EVERYTHING, account: 'alice' },
    { ...EVERYTHING, account: 'carol' },
    { ...EVERYTHING, firstBlockNum: 105 },
  ];

  it('gives a client that reconnects through forks exactly the committed rows', async () => {
    let [forks, rows, irreversible] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30, size: 'max' }),
        fc.constantFrom(...queries),
        async (steps, query) => {
          const run = new Run(query);
          for (const each of steps) await run.take(each);
          await run.client.read();
          const { committed, lastIrreversible } = await run.model.getStatus();
          const head = committed?.num ?? 0;
          expect(run.client.rows).toEqual(await committedRows(run.model, query, head));
          forks += run.client.forks;
          rows += run.client.rows.length;
          const { irreversibleNum: named } = run.client;
          // A node can report one above the blocks that it has sent; one below the stream's beginning is not named.
          if (!lastIrreversible || lastIrreversible.num > head) return;
          if (lastIrreversible.num < (query.firstBlockNum ?? 0)) return;
          expect(named).toBe(lastIrreversible.num);
          irreversible++;
        },
      ),
      { seed: 11, numRuns: 150 },
    );
    expect(forks).toBeGreaterThan(20);
    expect(rows).toBeGreaterThan(1_000);
    expect(irreversible).toBeGreaterThan(75);
  }, 120_000);

  it.each([
    [101, 102],
    [102, 102],
    [103, 0],
  ])(
    'that begins at block %s of those from 100 to 104 names the irreversible block 102 if it has its rows',
    async (after, named) => {
      const run = new Run({ ...EVERYTHING, firstBlockNum: after });
      const empty: BlockPlan = { transactions: [], abis: [], permissions: [] };
      await run.take({ kind: 'grow', plans: [empty, empty, empty] });
      await run.take({ kind: 'makeIrreversible', depth: 0 });
      await run.take({ kind: 'grow', plans: [empty, empty] });
      await run.client.read();
      expect(run.model.irreversibleNum).toBe(102);
      expect(run.client.irreversibleNum).toBe(named);
    },
  );

  it('never skips the rows of removed blocks: it tells the client that they are gone', async () => {
    let [restarts, complete] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepOfRemoving, { minLength: 8, maxLength: 40, size: 'max' }),
        fc.constantFrom(...queries),
        async (steps, query) => {
          const run = new Run(query);
          const { model, whole, client } = run;
          for (const each of steps) await run.take(each);
          await client.read();
          const head = (await model.getStatus()).committed?.num ?? 0;
          const expected = await committedRows(whole, query, head);
          expect(client.rows).toEqual(expected.filter(({ block }) => block.num >= client.firstBlockNum));
          restarts += client.restarts;
          if (client.restarts === 0 && (await model.getStatus()).hasRemovedBlocks) complete++;
        },
      ),
      { seed: 13, numRuns: REMOVING_RUNS },
    );
    expect(restarts).toBeGreaterThan(REMOVING_RUNS / 30);
    expect(complete).toBeGreaterThan(REMOVING_RUNS / 30);
  }, 120_000);

  it('never takes rows back when it sends irreversible ones only', async () => {
    const query = { ...EVERYTHING, irreversibleOnly: true };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const run = new Run(query);
        for (const each of steps) await run.take(each);
        await run.client.read();
        const { lastIrreversible, committed } = await run.model.getStatus();
        const last = Math.min(lastIrreversible?.num ?? 0, committed?.num ?? 0);
        expect(run.client.forks).toBe(0);
        expect(run.client.rows).toEqual(await committedRows(run.model, query, last));
      }),
      { seed: 12, numRuns: 60 },
    );
  }, 120_000);
});
