import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { type BlockPlan, SimulatedReader } from '@antelope-history/store/contract';
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

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  afterAll(() => client.close());

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
      const index = temporary.names.ranged('bodies', 100, { blocks_per_index: BLOCKS_PER_INDEX });
      await client.indices.refresh({ index });
      const [body] = (await client.search<object>({ index, query: { term: { block_num: 101 } } })).hits.hits;
      const put = (execution: object): Promise<unknown> =>
        client.index({ index, id: body?._id ?? '', document: { ...body?._source, ...execution }, refresh: true });
      await put({ execution: 'AAAA' });
      for (let writes = 0; writes < 10; writes++) await grow(2);
      await expect(writer.maintain()).rejects.toMatchObject({
        code: 'DECODE_FAILED',
        message: expect.stringMatching(/^the blocks from 100 to 103 cannot be added to the directory/),
      });
      await grow(1);
      expect(await directoryEnd(temporary)).toBe(0);
      await put({});
      while ((await directoryEnd(temporary)) !== 116) await writer.maintain().catch(() => undefined);
    }));
});
