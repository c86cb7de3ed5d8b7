import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { ABIS, type BlockPlan, DATA, SimulatedReader } from '@antelope-history/store/contract';
import { ProgressStore } from '../src/commit/progress-store';
import { type TemporaryStore, withTemporaryStore } from './temporary-store';

jest.setTimeout(120_000);

const BLOCKS_PER_INDEX = 4;
const PING: BlockPlan = {
  transactions: [
    [{ account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 8 }],
  ],
  abis: [],
  permissions: [],
};

const TRANSFER: BlockPlan = {
  transactions: [
    [
      {
        account: 'alice',
        name: 'transfer',
        actor: 'bob',
        notified: [],
        creatorDistance: 0,
        dataBytes: 8,
        data: DATA[1],
      },
    ],
  ],
  abis: [],
  permissions: [],
};

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  afterAll(() => client.close());

  /** The only document of an index with a block number. */
  async function documentOf(index: string, blockNum: number): Promise<{ put(change: object): Promise<unknown> }> {
    await client.indices.refresh({ index });
    const query = { term: { block_num: blockNum } };
    const [hit] = (await client.search<object>({ index, query })).hits.hits;
    return {
      put: (change) =>
        client.index({ index, id: hit?._id ?? '', document: { ...hit?._source, ...change }, refresh: true }),
    };
  }

  async function directoryEnd({ names }: TemporaryStore): Promise<number | undefined> {
    return (await new ProgressStore(client, names).read())?.progress.directory?.to;
  }

  it('a range with a damaged document keeps out of the directory until it is repaired, while blocks are written', () =>
    withTemporaryStore(url, { blocksPerIndex: BLOCKS_PER_INDEX }, async (temporary) => {
      const writer = await temporary.openWriter();
      const chain = new SimulatedReader();
      const grow = async (blocks: number): Promise<void> => {
        chain.grow(Array<BlockPlan>(blocks).fill(PING));
        chain.makeIrreversible(0);
        await writer.writeBlocks(chain.read(Infinity));
      };
      await grow(2);
      const body = await documentOf(temporary.names.ranged('bodies', 100, { blocks_per_index: BLOCKS_PER_INDEX }), 101);
      await body.put({ execution: 'AAAA' });
      for (let writes = 0; writes < 10; writes++) await grow(2);
      await expect(writer.maintain()).rejects.toMatchObject({
        code: 'DECODE_FAILED',
        message: expect.stringMatching(/^the blocks from 100 to 103 cannot be added to the directory/),
      });
      await grow(1);
      expect(await directoryEnd(temporary)).toBe(0);
      await body.put({});
      while ((await directoryEnd(temporary)) !== 116) await writer.maintain().catch(() => undefined);
    }));

  it('an ABI with other bytes than those of its hash is returned to nobody until it is repaired', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const chain = new SimulatedReader();
      chain.grow([{ ...TRANSFER, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] }]);
      await temporary.store.writeBlocks(chain.read(Infinity));
      const abi = await documentOf(temporary.names.abis, 100);
      await abi.put({ abi: ABIS[1]?.toString('base64') });
      const actions = [{ account: 'alice', blockNum: 101, sequence: 1_000 }];
      await expect(temporary.store.getAbis(actions, () => false, 1_000_000)).rejects.toMatchObject({
        code: 'INTERNAL',
        message: 'an ABI of alice is stored damaged: run npm run repair',
      });
      await abi.put({});
      const { versions } = await temporary.store.getAbis(actions, () => false, 1_000_000);
      expect(versions.map((version) => version?.bytes)).toEqual([ABIS[0]]);
    }));
});
