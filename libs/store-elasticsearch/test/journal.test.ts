import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  type BlockPlan,
  Comparison,
  EMPTY_BLOCK,
  ModelHistory,
  ReaderSessions,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { FaultyServer } from './faulty-server';
import { withTemporaryStore } from './temporary-store';

jest.setTimeout(60_000);

const FAR_HEAD = { num: 100_000, id: 'f'.repeat(64) };
const BUSY: BlockPlan = {
  ...EMPTY_BLOCK,
  transactions: [
    [{ account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 50 }],
  ],
};

function chainOf(count: number, plan: BlockPlan): BlockRecords[] {
  return new SyntheticChain().blocks(undefined, Array<BlockPlan>(count).fill(plan));
}

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  afterAll(() => client.close());

  describe('commits of several epochs', () => {
    it('end when a block with many messages behind it waits for a later epoch', () =>
      withTemporaryStore(url, {}, async ({ store }) => {
        const sessions = new ReaderSessions();
        const blocks = chainOf(1_100, EMPTY_BLOCK);
        const [first, , ...rest] = blocks as [BlockRecords, BlockRecords, ...BlockRecords[]];
        await expect(store.writeBlocks(sessions.read([first, ...rest]))).rejects.toMatchObject({ code: 'BLOCK_GAP' });
        sessions.begin();
        await store.writeBlocks(sessions.read(rest.slice(-1)));
        expect((await store.maintain()).committed).toEqual(first.position);
        sessions.begin();
        await store.writeBlocks(sessions.read(blocks.slice(1)));
        expect((await store.maintain()).committed).toEqual(blocks.at(-1)?.position);
      }));

    it('find an epoch whose repeated messages were deleted, and the last of them delivered again', () =>
      withTemporaryStore(url, {}, async ({ store, names }) => {
        const blocks = chainOf(72, EMPTY_BLOCK);
        const sessions = new ReaderSessions();
        await store.writeBlocks(sessions.read(blocks.slice(0, 70)));
        sessions.begin();
        const again = sessions.read(blocks);
        await store.writeBlocks(again.slice(0, 70));
        await store.writeBlocks(again.slice(69, 70));
        await client.indices.refresh({ index: names.journal });
        expect(await store.writeBlocks(again.slice(70))).toMatchObject({ committed: blocks[71]?.position });
      }));

    it('end at no message that a suspended process has shortened its epoch to, and that was deleted since', () =>
      withTemporaryStore(url, {}, async (temporary) => {
        const { store, names } = temporary;
        const server = await FaultyServer.start(url);
        const late = await temporary.openWriter({ urls: [server.url] });
        const blocks = chainOf(141, EMPTY_BLOCK);
        const sessions = new ReaderSessions();
        await store.writeBlocks(sessions.read(blocks.slice(0, 140)));
        sessions.begin();
        const again = sessions.read(blocks);
        const { arrived, resume } = server.suspend(
          ({ body }) => body.includes('{"delete"') && body.includes('-journal'),
        );
        const writing = late.writeBlocks(again.slice(0, 70));
        await arrived;
        await store.writeBlocks(again.slice(70, 140));
        resume();
        await writing;
        const id = `${again[69]?.streamPosition.sequence}`;
        expect(await client.exists({ index: names.journal, id })).toBe(false);
        expect(await store.writeBlocks(again.slice(140))).toMatchObject({ committed: blocks[140]?.position });
        await server.stop();
      }));

    it('keep a block that a node which was started from a snapshot sends without its contents', () =>
      withTemporaryStore(url, { commitSeconds: 1_000 }, async (temporary) => {
        const { store } = temporary;
        const sessions = new ReaderSessions();
        const blocks = chainOf(4, BUSY).map((block) => ({ ...block, head: FAR_HEAD }));
        await store.writeBlocks(sessions.read(blocks.slice(0, 2)));
        // This commit runs beside the first write; the next one is due much later.
        while ((await store.getStatus()).committed?.num !== 101) await sleep(20);
        const rest = sessions.read(blocks.slice(2));
        sessions.begin();
        const [emptied] = sessions.read(blocks.slice(3)) as [BlockRecords];
        await store.writeBlocks(rest);
        // Neither message of the block is committed yet.
        await store.writeBlocks([{ ...emptied, block: undefined, transactions: [] }]);
        const other = await temporary.openWriter({ commitSeconds: 0 });
        expect(await other.maintain()).toMatchObject({ committed: blocks[3]?.position });
        await new Comparison(store, ModelHistory.of(blocks)).sampledActions(40, 1);
      }));
  });
});
