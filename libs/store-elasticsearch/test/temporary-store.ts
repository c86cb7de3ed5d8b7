import { randomUUID } from 'node:crypto';
import { Client } from '@elastic/elasticsearch';
import type { HistoryStore } from '@antelope-history/store';
import type { StoreUnderTest } from '@antelope-history/store/contract';
import { openElasticsearchStore, type ElasticsearchOptions } from '../src';
import { IndexNames } from '../src/indices/index-names';
import { indexTemplates } from '../src/indices/index-templates';

/**
 * Synthetic chains begin at block 100, so that all but the shortest span two indices, and recordings of 500 blocks four:
 * creating an index costs a server as much as hundreds of queries.
 */
const BLOCKS_PER_INDEX = 128;
/** Orphaned documents are removed after few blocks and at once, so that short chains come to it. */
const DELAYS = { settleBlocks: 4, tidyEveryMs: 0, dropAfterMs: 0 };

/** Indices of a test's own. */
export class TemporaryStore implements StoreUnderTest {
  readonly names = new IndexNames(`test-${randomUUID()}`);
  store!: HistoryStore;
  private readonly handles: HistoryStore[] = [];

  private constructor(
    readonly url: string,
    private readonly options: Partial<ElasticsearchOptions>,
  ) {}

  static async open(url: string, options: Partial<ElasticsearchOptions> = {}): Promise<TemporaryStore> {
    const temporary = new TemporaryStore(url, options);
    temporary.store = await temporary.openWriter();
    return temporary;
  }

  openWriter(options: Partial<ElasticsearchOptions> = {}): Promise<HistoryStore> {
    return this.openHandle({ ...this.options, ...options }, false);
  }

  openReader(): Promise<HistoryStore> {
    return this.openHandle(this.options, true);
  }

  async restart(): Promise<HistoryStore> {
    await this.store.close();
    return (this.store = await this.openWriter());
  }

  async dispose(): Promise<void> {
    await Promise.all(this.handles.map((handle) => handle.close()));
    await removeIndices(this.url, this.names.prefix);
  }

  private async openHandle(options: Partial<ElasticsearchOptions>, readOnly: boolean): Promise<HistoryStore> {
    const defaults = {
      urls: [this.url],
      indexPrefix: this.names.prefix,
      blocksPerIndex: BLOCKS_PER_INDEX,
      retainBlocks: 0,
      replicas: 0,
      bulkBytes: 1024 * 1024,
      bulkConcurrency: 2,
      commitSeconds: 0,
      requestTimeoutSeconds: 30,
    };
    const handle = await openElasticsearchStore({ ...defaults, ...options }, { readOnly }, DELAYS);
    this.handles.push(handle);
    return handle;
  }
}

/** Removes all that was made for a prefix. */
async function removeIndices(url: string, prefix: string): Promise<void> {
  const client = new Client({ node: url });
  const indices = Object.keys(await client.indices.get({ index: `${prefix}-*`, expand_wildcards: 'all' }));
  if (indices.length > 0) await client.indices.delete({ index: indices });
  const { index_templates: templates } = await client.indices.getIndexTemplate({ name: `${prefix}-*` });
  const ours = templates.map(({ name }) => name).filter((name) => name in indexTemplates(prefix, 0));
  if (ours.length > 0) await client.indices.deleteIndexTemplate({ name: ours });
  await client.close();
}
