import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@elastic/elasticsearch';
import type { StoredBlock, ActionsQuery } from '@antelope-history/store';
import { describeWithService } from '@antelope-history/servers';
import { EVERY_ACTION, SyntheticChain, type BlockPlan } from '@antelope-history/store/contract';
import { Searcher } from '../src/client/search';
import { IndexedBlocks } from './indexed-blocks';

const BUSY: BlockPlan = {
  transactions: [
    [{ account: 'hot', name: 'ping', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 8 }],
    [{ account: 'hot', name: 'ping', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 8 }],
  ],
  abis: [{ account: 'hot', abi: Buffer.from('abi') }],
  permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, 1)], actors: ['hot'] } }],
};
const EVERYTHING: ActionsQuery = { ...EVERY_ACTION, order: 'desc', limit: 1 };

/** An incomplete result is an error, never a short result. */
describeWithService(['elasticsearch'], (url) => {
  describe('a store with a missing part', () => {
    let indexed: IndexedBlocks;
    /** Of the first action of block 105. */
    let sequence: number;
    beforeEach(async () => {
      indexed = await IndexedBlocks.open(url, 4);
      const blocks = new SyntheticChain().blocks(undefined, Array<BlockPlan>(12).fill(BUSY));
      sequence = blocks[5]?.transactions[0]?.firstSequence ?? 0;
      await indexed.put(blocks);
      await indexed.commit({ blocks, cleanUpTo: 105 });
      // An index of blocks that are not committed yet.
      const ahead = { index: indexed.rangedIndex('actions', 112), aliases: { [indexed.names.actions]: {} } };
      await indexed.client.indices.create(ahead);
    });
    afterEach(() => indexed.dispose());

    it.each([
      ['actions', () => indexed.rangedIndex('actions', 104), (): Promise<unknown> => deepPage()],
      ['actions', () => indexed.rangedIndex('actions', 104), (): Promise<unknown> => newestPage()],
      ['actions', () => indexed.rangedIndex('actions', 104), (): Promise<unknown> => children()],
      ['blocks', () => indexed.rangedIndex('blocks', 104), (): Promise<unknown> => boundedPage()],
      ['bodies', () => indexed.rangedIndex('bodies', 104), (): Promise<unknown> => transaction()],
      ['bodies', () => indexed.rangedIndex('bodies', 104), (): Promise<unknown> => block()],
      ['actions', () => indexed.rangedIndex('actions', 104), (): Promise<unknown> => blockTraces()],
      ['ABIs', () => indexed.names.abis, (): Promise<unknown> => abis()],
      ['permissions', () => indexed.names.permissions, (): Promise<unknown> => keyAccounts()],
      ['progress', () => indexed.names.progress, (): Promise<unknown> => indexed.reader.getStatus()],
    ])('returns nothing without an index of %s, closed, deleted or without its shard', async (_what, indexOf, ask) => {
      await ask();
      const index = indexOf();
      const { [index]: { aliases = {} } = {} } = await indexed.client.indices.getAlias({ index });
      await indexed.client.indices.close({ index });
      await expect(ask()).rejects.toMatchObject({ name: 'HistoryError' });
      await indexed.client.indices.delete({ index });
      if (index !== indexed.names.progress) await expect(ask()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await indexed.client.indices.create({
        index,
        aliases,
        settings: { 'index.routing.allocation.require._name': 'nobody' },
        wait_for_active_shards: 0,
      });
      await expect(ask()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    it('returns no block and no transaction with a missing document', async () => {
      const { names, client, reader } = indexed;
      const ofBlock = { term: { block_num: 109 } };
      const { block, transactions } = await reader.getBlockTraces({ num: 109 });
      const remove = async (index: string, count: number): Promise<void> => {
        const { hits } = await client.search({ index, query: ofBlock, size: count });
        for (const { _index, _id } of hits.hits) await client.delete({ index: _index, id: _id as string });
        await client.indices.refresh({ index });
      };
      await remove(names.actions, 1);
      const lookups = transactions.map(({ record }) => reader.getTransaction(record.id.toString('hex')));
      const outcomes = await Promise.allSettled(lookups);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await expect(reader.getBlockTraces({ num: 109 })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await remove(names.bodies, 1);
      await expect(reader.getBlock({ num: 109 })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect((await reader.getBlock({ id: (block as StoredBlock).position.id })).block).toBeUndefined();
    });

    const newestPage = (): Promise<unknown> => indexed.reader.getActions({ ...EVERYTHING, limit: 24 });
    const children = (): Promise<unknown> => indexed.reader.getActions({ ...EVERYTHING, parent: { sequence } });
    const deepPage = (): Promise<unknown> => indexed.reader.getActions({ ...EVERYTHING, skip: 20_000 });
    const boundedPage = (): Promise<unknown> => indexed.reader.getActions({ ...EVERYTHING, after: { blockNum: 103 } });
    const transaction = (): Promise<unknown> => indexed.reader.getTransaction('0123456789');
    const block = (): Promise<unknown> => indexed.reader.getBlock({ num: 105 });
    const blockTraces = (): Promise<unknown> => indexed.reader.getBlockTraces({ num: 105 });
    const abis = (): Promise<unknown> =>
      indexed.reader.getAbis([{ account: 'hot', blockNum: 105, sequence: 1 }], () => false, Infinity);
    const keyAccounts = (): Promise<unknown> => indexed.reader.getKeyAccounts(Buffer.alloc(34, 1));
  });
});

describe('Searcher', () => {
  const shards = { total: 2, successful: 2, skipped: 0, failed: 0 };
  const whole = { took: 1, timed_out: false, _shards: shards, hits: { hits: [] }, status: 200 };

  it.each([
    ['a search that ran out of time', { ...whole, timed_out: true }],
    ['a failed shard', { ...whole, _shards: { ...shards, successful: 1, failed: 1 } }],
    ['a shard that did not respond', { ...whole, _shards: { ...shards, successful: 1 } }],
    ['a shard error', { error: { type: 'search_phase_execution_exception', reason: '' }, status: 503 }],
    ['a missing index', { error: { type: 'index_not_found_exception', reason: '' }, status: 404 }],
  ])('rejects with STORE_UNAVAILABLE at %s', async (_what, response) => {
    const search = { index: 'any', filters: [] };
    await withResponses([whole, response], async (searcher) => {
      await expect(searcher.searchAll([search, search])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });
    await withResponses([whole], async (searcher) => {
      expect(await searcher.search(search)).toEqual({ hits: [], total: 0, aggregations: {} });
      await expect(searcher.searchAll([search, search])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });
  });

  it('finds nothing in an index that may be missing', async () => {
    const missing = { error: { type: 'index_not_found_exception', reason: '' }, status: 404 };
    await withResponses([missing], async (searcher) => {
      const found = await searcher.search({ index: 'any', filters: [], minIndices: 0 });
      expect(found).toEqual({ hits: [], total: 0, aggregations: {} });
    });
  });

  it('rejects with STORE_UNAVAILABLE when no server listens', async () => {
    const client = new Client({ node: 'http://127.0.0.1:1', maxRetries: 0 });
    const search = new Searcher(client, 5).search({ index: 'any', filters: [] });
    await expect(search).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await client.close();
  });
});

/** Searches on a server that responds to every request with these responses. */
async function withResponses(responses: object[], ask: (searcher: Searcher) => Promise<void>): Promise<void> {
  const server: Server = createServer((_request, response) => {
    response.setHeader('x-elastic-product', 'Elasticsearch').setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ took: 1, responses }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new Client({ node: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  try {
    await ask(new Searcher(client, 5));
  } finally {
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  }
}
