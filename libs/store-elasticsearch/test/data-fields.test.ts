import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { expectFieldRanges } from '@antelope-history/store/contract';
import { indexTemplates } from '../src/indices/index-templates';
import { TemporaryStore } from './temporary-store';

describeWithService(['elasticsearch'], (url) => {
  describe('data fields of the shared store', () => {
    it('are indexed from the block on before which they were added, in indices of an earlier version, too', async () => {
      const store = await TemporaryStore.open(url);
      const client = new Client({ node: url });
      try {
        await createOlderIndex(client, store);
        await expectFieldRanges({
          openWriter: (dataFields) => store.openWriter({ dataFields }),
          openReader: () => store.openReader(),
        });
      } finally {
        await client.close();
        await store.dispose();
      }
    });
  });
});

/** The index of the first range as a version without data fields created it. */
async function createOlderIndex(client: Client, { names }: TemporaryStore): Promise<void> {
  const { template } = indexTemplates(names.prefix, 0)[names.of('actions')] ?? {};
  const { data: _data, ...properties } = template?.mappings.properties ?? {};
  await client.indices.deleteIndexTemplate({ name: names.of('actions') });
  await client.indices.create({
    index: names.ranged('actions', 100, 128),
    ...(template && { settings: template.settings }),
    mappings: { ...template?.mappings, properties },
    aliases: { [names.of('actions')]: {} },
  });
}
