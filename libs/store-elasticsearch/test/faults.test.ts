import { createRandom } from '@antelope-history/test-support/random';
import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithService } from '@antelope-history/servers';
import type { HistoryReader, HistoryWriter } from '@antelope-history/store';
import { Comparison, ModelHistory, SimulatedReader, type BlockPlan } from '@antelope-history/store/contract';
import { FaultyServer, type Fault, type SeenRequest } from './faulty-server';
import { TemporaryStore } from './temporary-store';

const SEED = 5;
const LIMIT_MS = 240_000;
const WRITERS = 2;

const BUSY: BlockPlan = {
  transactions: Array.from({ length: 3 }, () => [
    { account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 50 },
    { account: 'hot', name: 'pong', actor: 'hot', notified: [], creatorDistance: 1, dataBytes: 8 },
  ]),
  abis: [{ account: 'hot', abi: Buffer.from('an ABI') }],
  permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, 2)], actors: ['cold'] } }],
};

describeWithService(['elasticsearch'], (url = '') => {
  describe('faults of the server and the network', () => {
    it(
      'lose nothing and show no incomplete block, whatever request they hit',
      async () => {
        const server = await FaultyServer.start(url);
        const temporary = await TemporaryStore.open(url, { requestTimeoutSeconds: 4 });
        try {
          const writers = await Promise.all(
            Array.from({ length: WRITERS }, () => temporary.openWriter({ urls: [server.url] })),
          );
          const faults = new ChanceOfFaults();
          server.fault = (seen) => faults.of(seen);
          const reader = new SimulatedReader();
          for (let round = 0; round < 8; round++) {
            if (round % 4 === 3) reader.fork(3, [BUSY, BUSY, BUSY, BUSY]);
            else reader.grow([BUSY, BUSY, BUSY]);
            await deliver(writers, reader.read(Infinity));
            await expectWhole(temporary.store, reader.chain);
          }
          server.fault = () => 'none';
          await temporary.store.maintain();
          const model = ModelHistory.of(reader.chain);
          const comparison = new Comparison(temporary.store, model);
          await comparison.status();
          await comparison.sampledActions(40, SEED);
          await comparison.permissionsOf(model.committedBlocks);
          for (const { position } of model.committedBlocks) await comparison.block({ id: position.id });
          expect(faults.befell.size).toBe(5);
        } finally {
          await temporary.dispose();
          await server.stop();
        }
      },
      LIMIT_MS,
    );

    it('show no block that a copy of its documents does not show yet', async () => {
      const server = await FaultyServer.start(url);
      const temporary = await TemporaryStore.open(url);
      try {
        const writer = await temporary.openWriter({ urls: [server.url] });
        const reader = new SimulatedReader();
        reader.grow([BUSY, BUSY]);
        let failures = 0;
        server.fault = ({ path }) => (path.includes('/_refresh') && failures++ < 2 ? 'copy failed' : 'none');
        const messages = reader.read(Infinity);
        await expect(writer.writeBlocks(messages)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        expect((await temporary.store.getStatus()).committed).toBeUndefined();
        await writeUntilDone(writer, messages);
        expect(failures).toBeGreaterThan(2);
        expect((await temporary.store.getStatus()).committed).toEqual(reader.chain.at(-1)?.position);
      } finally {
        await temporary.dispose();
        await server.stop();
      }
    });
  });
});

/** Gives each message to one writer, again and again until it is durable. */
async function deliver(writers: readonly HistoryWriter[], messages: readonly BlockRecords[]): Promise<void> {
  await Promise.all(
    writers.map((writer, index) =>
      writeUntilDone(
        writer,
        messages.filter((_, number) => number % writers.length === index),
      ),
    ),
  );
}

async function writeUntilDone(writer: HistoryWriter, messages: BlockRecords[]): Promise<void> {
  for (;;) {
    try {
      await writer.writeBlocks(messages);
      return;
    } catch (error) {
      if (!(error instanceof HistoryError) || !error.retryable) throw error;
    }
  }
}

/** The committed head is a block of the chain, and complete. */
async function expectWhole(store: HistoryReader, chain: readonly BlockRecords[]): Promise<void> {
  const { block, status, transactions } = await store.getBlockTraces('latest');
  expect(block?.position).toEqual(status.committed);
  const records = chain.find(({ position }) => position.id === status.committed?.id);
  if (records) expect(transactions).toHaveLength(records.transactions.length);
}

/** Returns a fault for every fifth request, by a seed. */
class ChanceOfFaults {
  readonly befell = new Set<string>();
  private readonly next = createRandom(SEED);

  of({ path, body }: SeenRequest): Fault {
    if (this.next(5) !== 0) return 'none';
    const isBulk = path.startsWith('/_bulk') && !body.startsWith('{"delete"');
    const remainder = this.next(3);
    const kinds: [string, Fault][] = [
      ['cut before', 'cut before'],
      ['cut after', 'cut after'],
      ['silence', 'silence'],
      ['busy', { status: 429 }],
      ['part', isBulk ? { takes: (each) => each % 3 !== remainder } : 'cut after'],
    ];
    const [name, fault] = kinds[this.next(kinds.length)] as [string, Fault];
    this.befell.add(name);
    return fault;
  }
}
