import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { WriteFence } from '../src/write/write-fence';
import { TemporaryStore } from './temporary-store';

describeWithService(['elasticsearch'], (url) => {
  describe('the write term', () => {
    it('of a new store exists from its beginning', () =>
      withStore(url, async ({ names }, client) => {
        expect(await termsOf(client, names.progress)).toEqual([names.currentTerm(0)]);
      }));

    it('is not brought back by a process that was suspended while it prepared a store without one', () =>
      withStore(url, async ({ names }, client) => {
        const { progress } = names;
        await client.indices.deleteAlias({ index: progress, name: names.currentTerm(0) });
        let reads = 0;
        const fence = new WriteFence(client, names);
        await fence.prepare(async () => {
          // Another process begins a term after this one has read that there is none.
          if (++reads === 1) return 0;
          await client.indices.putAlias({ index: progress, name: names.currentTerm(3) });
          return 3;
        });
        expect(await termsOf(client, progress)).toEqual([names.currentTerm(3)]);
        await expect(fence.open([names.abis], 0)).rejects.toMatchObject({ message: 'the write term has ended' });
        await fence.open([names.abis], 3);
      }));
  });
});

async function withStore(url: string, body: (store: TemporaryStore, client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ node: url });
  const store = await TemporaryStore.open(url);
  try {
    await body(store, client);
  } finally {
    await store.dispose();
    await client.close();
  }
}

async function termsOf(client: Client, index: string): Promise<string[]> {
  const { [index]: found } = await client.indices.getAlias({ index });
  return Object.keys(found?.aliases ?? {});
}
