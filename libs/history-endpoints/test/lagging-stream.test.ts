import { createAbiReader, LargeResponses } from '@antelope-history/endpoint-kit';
import { Registry } from '@antelope-history/app-runtime';
import type { BlockRecords } from '@antelope-history/records';
import type { HistoryReader } from '@antelope-history/store';
import { type BlockPlan, ModelHistory, SyntheticChain } from '@antelope-history/store/contract';
import { ActionStream, type StreamEvent, type StreamQuery } from '../src/stream/action-stream';
import { parseCursor, type StreamCursor } from '../src/stream/stream-cursor';
import { EVERYTHING, ModelHead } from './stream-fixture';

/** A block with one action. */
const PLAN: BlockPlan = {
  transactions: [
    [{ account: 'token', name: 'transfer', actor: 'alice', creatorDistance: 0, dataBytes: 8, notified: [] }],
  ],
  abis: [],
  permissions: [],
};
const plans = (count: number): BlockPlan[] => Array.from({ length: count }, () => PLAN);

interface Seen {
  type: StreamEvent['type'];
  num: number;
}

/** A service that has fewer blocks than the one that a client was connected to before. */
class LaggingService {
  readonly seen: Seen[] = [];
  lastId = '';
  private readonly head: ModelHead;
  private readonly abort = new AbortController();

  constructor(
    private readonly model: ModelHistory,
    private readonly query: StreamQuery,
  ) {
    this.head = new ModelHead(model);
  }

  /** Opens a stream at a cursor; resolves when it waits for more. */
  async open(cursor: StreamCursor): Promise<void> {
    const abis = createAbiReader(this.model, new Registry(), 'test');
    const deps = { reader: this.model, abis, head: this.head, largeResponses: new LargeResponses() };
    const idle = this.head.idle();
    void this.read(new ActionStream(deps, this.query, this.abort.signal).events(cursor));
    await idle;
  }

  /** Resolves when the stream has sent what it sends for these blocks. */
  async write(blocks: BlockRecords[]): Promise<void> {
    await this.model.writeBlocks(blocks);
    const idle = this.head.idle();
    this.head.announce();
    await idle;
  }

  close(): void {
    this.abort.abort(new Error('the client left'));
    this.head.announce();
  }

  private async read(events: AsyncGenerator<StreamEvent, never>): Promise<void> {
    try {
      for await (const event of events) {
        this.lastId = event.id;
        const num =
          event.type === 'action' ? (JSON.parse(event.row) as { block_num: number }).block_num : event.block.num;
        this.seen.push({ type: event.type, num });
      }
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    }
  }
}

describe('a client that reconnects to a service that lags', () => {
  const chain = new SyntheticChain();
  const old = chain.blocks(undefined, plans(20));
  // Blocks 120 to 129 make 110 irreversible, 130 to 139 make 125.
  const early = chain.blocks(old.at(-1), plans(10), old[10]?.position);
  const late = chain.blocks(early.at(-1), plans(10), early[5]?.position);
  const all = [...old, ...early, ...late];
  const blockAt = (num: number): BlockRecords => all.find(({ position }) => position.num === num) as BlockRecords;
  const cursorAt = (num: number, irreversibleNum: number): StreamCursor => ({
    block: blockAt(num).position,
    sequence: undefined,
    irreversibleNum,
  });

  it('gets no fork below what another one named irreversible', async () => {
    const service = new LaggingService(ModelHistory.of([...old, ...early]), EVERYTHING);
    await service.open(cursorAt(133, 125));
    expect(service.seen).toEqual([]);
    await service.write(late.slice(0, 2));
    const rows = [126, 127, 128, 129, 130, 131].map((num) => ({ type: 'action', num }));
    expect(service.seen).toEqual([{ type: 'fork', num: 125 }, ...rows, { type: 'head', num: 131 }]);
    service.close();
  });

  it('continues at once when the service has the block, and names each irreversible block once', async () => {
    const service = new LaggingService(ModelHistory.of([...old, ...early]), EVERYTHING);
    await service.open(cursorAt(128, 125));
    const first = [
      { type: 'action', num: 129 },
      { type: 'head', num: 129 },
    ];
    expect(service.seen).toEqual(first);
    expect(parseCursor('id', service.lastId).irreversibleNum).toBe(125);
    await service.write([late[0] as BlockRecords]);
    expect(service.seen).toEqual([...first, { type: 'action', num: 130 }, { type: 'head', num: 130 }]);
    service.close();
  });

  it('returns above the irreversible block of its cursor when the service forks', async () => {
    const service = new LaggingService(ModelHistory.of([...old, ...early]), EVERYTHING);
    await service.open(cursorAt(128, 125));
    const sent = service.seen.length;
    await service.write(chain.blocks(blockAt(127), plans(3), old[10]?.position));
    const rows = [126, 127, 128, 129, 130].map((num) => ({ type: 'action', num }));
    expect(service.seen.slice(sent)).toEqual([{ type: 'fork', num: 125 }, ...rows, { type: 'head', num: 130 }]);
    service.close();
  });

  it('gets no fork and no row again on a stream of irreversible rows', async () => {
    const service = new LaggingService(ModelHistory.of(old), { ...EVERYTHING, irreversibleOnly: true });
    await service.open(cursorAt(122, 122));
    await service.write(early);
    expect(service.seen).toEqual([]);
    await service.write(late);
    expect(service.seen).toEqual([
      ...[123, 124, 125].map((num) => ({ type: 'action', num })),
      { type: 'irreversible', num: 125 },
      { type: 'head', num: 125 },
    ]);
    service.close();
  });

  it('gets no fork on a stream of irreversible rows whose block the service has, but leaves for a while', async () => {
    const service = new LaggingService(ModelHistory.of([...old, ...early]), { ...EVERYTHING, irreversibleOnly: true });
    await service.open(cursorAt(122, 122));
    await service.write(chain.blocks(blockAt(120), plans(3), old[10]?.position));
    expect(service.seen).toEqual([]);
    await service.write([...early.slice(1), ...late]);
    const rows = [123, 124, 125].map((num) => ({ type: 'action', num }));
    expect(service.seen).toEqual([...rows, { type: 'irreversible', num: 125 }, { type: 'head', num: 125 }]);
    service.close();
  });

  it('gets no fork on a stream of irreversible rows whose cursor is at the block of a snapshot', async () => {
    const service = new LaggingService(ModelHistory.of([...old, ...early]), { ...EVERYTHING, irreversibleOnly: true });
    const snapshot = { num: 99, id: '63'.padStart(8, '0').padEnd(64, 'a') };
    await service.open({ block: snapshot, sequence: undefined, irreversibleNum: 99 });
    expect(service.seen.slice(0, 2)).toEqual([100, 101].map((num) => ({ type: 'action', num })));
    service.close();
  });

  it.each([false, true])(
    'misses no rows when the history of the service begins later: %j',
    async (irreversibleOnly) => {
      const model = ModelHistory.of([...old, ...early].slice(8));
      const read = async (query: StreamQuery): Promise<StreamEvent> => {
        const abis = createAbiReader(model, new Registry(), 'test');
        const deps = { reader: model, abis, head: new ModelHead(model), largeResponses: new LargeResponses() };
        const stream = new ActionStream(deps, query, new AbortController().signal);
        return (await stream.events(cursorAt(105, 103)).next()).value;
      };
      await expect(read({ ...EVERYTHING, irreversibleOnly })).rejects.toMatchObject({ code: 'BLOCKS_REMOVED' });
      // A client that asks for no rows of the blocks between misses none.
      const { type, id } = await read({ ...EVERYTHING, irreversibleOnly, firstBlockNum: 108 });
      expect([type, parseCursor('id', id).block.num]).toEqual(irreversibleOnly ? ['action', 108] : ['fork', 107]);
    },
  );

  describe('gets the id of a block that is not stored', () => {
    const block = { num: 107, id: '0000006b'.padEnd(64, 'a') };
    const model = ModelHistory.of([...old, ...early].slice(8));
    const firstEvent = async (changed: Partial<HistoryReader>): Promise<StreamEvent> => {
      const reader = Object.assign(Object.create(model) as ModelHistory, changed);
      const abis = createAbiReader(reader, new Registry(), 'test');
      const deps = { reader, abis, head: new ModelHead(model), largeResponses: new LargeResponses() };
      const stream = new ActionStream(deps, { ...EVERYTHING, firstBlockNum: 108 }, new AbortController().signal);
      return (await stream.events(cursorAt(105, 103)).next()).value;
    };

    it('from the status, when it is the irreversible block', async () => {
      const getStatus = async () => ({ ...(await model.getStatus()), lastIrreversible: block });
      expect(await firstEvent({ getStatus })).toMatchObject({ type: 'fork', block });
    });

    it.each([block.id, '0000006a'.padEnd(64, 'a')])(
      'from the header of the next block, if it follows: %s',
      async (id) => {
        // Timestamp, producer and confirmed blocks come before the previous block, two roots, the version and two empty fields after it.
        const header = Buffer.concat([Buffer.alloc(4 + 8 + 2), Buffer.from(id, 'hex'), Buffer.alloc(2 * 32 + 4 + 2)]);
        const getBlock: HistoryReader['getBlock'] = async (selector) => {
          const lookup = await model.getBlock(selector);
          return lookup.block?.position.num === 108 ? { ...lookup, block: { ...lookup.block, block: header } } : lookup;
        };
        const event = await firstEvent({ getBlock });
        const expected = id === block.id ? id : '0000006b'.padEnd(64, '0');
        expect(event).toMatchObject({ type: 'fork', block: { num: 107, id: expected } });
      },
    );
  });

  it('returns at once from a block that no service can have', async () => {
    for (const irreversibleOnly of [false, true]) {
      const service = new LaggingService(ModelHistory.of([...old, ...early]), { ...EVERYTHING, irreversibleOnly });
      const num = 0xffffffff;
      await service.open({ block: { num, id: 'f'.repeat(64) }, sequence: undefined, irreversibleNum: num });
      expect(service.seen[0]).toEqual({ type: 'fork', num: 110 });
      service.close();
    }
  });
});
