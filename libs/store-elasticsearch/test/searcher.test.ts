import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { SyntheticChain } from '@antelope-history/store/contract';
import { Searcher } from '../src/client/search';
import { IndexedBlocks } from './indexed-blocks';
import { RoundTrips } from './round-trips';

describeWithService(['elasticsearch'], (url) => {
  describe('the searches of one query', () => {
    let indexed: IndexedBlocks;
    beforeAll(async () => {
      indexed = await IndexedBlocks.open(url, 10);
      await indexed.put(new SyntheticChain().blocks(undefined, [{ transactions: [], abis: [], permissions: [] }]));
    });
    afterAll(() => indexed.dispose());

    it('that begin at once are one request, and each succeeds or fails alone', async () => {
      const searcher = new Searcher(indexed.client, 30).forQuery(new Set());
      const present = { index: indexed.names.of('blocks'), filters: [] };
      const absent = { ...present, index: `${indexed.names.of('blocks')}-absent` };
      const trips = new RoundTrips(indexed.client);
      const settled: PromiseSettledResult<unknown>[] = [];
      const { requests } = await trips.of(async () => {
        const begun = [absent, present, { ...absent, minIndices: 0 }].map((search) => searcher.search(search));
        settled.push(...(await Promise.allSettled(begun)));
      });
      expect(requests).toBe(1);
      expect(settled).toEqual([
        { status: 'rejected', reason: expect.objectContaining({ code: 'STORE_UNAVAILABLE' }) },
        { status: 'fulfilled', value: { hits: [], total: 0, aggregations: {} } },
        { status: 'fulfilled', value: { hits: [], total: 0, aggregations: {} } },
      ]);
    });

    it('all fail when the request does', async () => {
      const client = new Client({ node: 'http://127.0.0.1:1', maxRetries: 0 });
      try {
        const searcher = new Searcher(client, 30).forQuery(new Set());
        const search = { index: indexed.names.of('blocks'), filters: [] };
        const settled = await Promise.allSettled([searcher.search(search), searcher.search(search)]);
        const failed = {
          status: 'rejected',
          reason: expect.objectContaining({ code: 'STORE_UNAVAILABLE' }) as unknown,
        };
        expect(settled).toEqual([failed, failed]);
      } finally {
        await client.close();
      }
    });

    it('that begin later are another request', async () => {
      const searcher = new Searcher(indexed.client, 30).forQuery(new Set());
      const search = { index: indexed.names.of('blocks'), filters: [] };
      const { requests } = await new RoundTrips(indexed.client).of(async () => {
        await Promise.all([searcher.search(search), searcher.search(search)]);
        await searcher.search(search);
      });
      expect(requests).toBe(2);
    });
  });
});
