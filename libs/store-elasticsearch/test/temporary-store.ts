import { randomUUID } from 'node:crypto';
import { Client } from '@elastic/elasticsearch';
import type { StoreReader, StoreWriter } from '@antelope-history/store';
import { joinStore, type HistoryStore, type StoreUnderTest } from '@antelope-history/store/contract';
import { IndexNames } from '../src/indices/index-names';
import { indexTemplates } from '../src/indices/index-templates';
import { openElasticsearchStoreReader, type ElasticsearchOptions } from '../src/reader';
import { openElasticsearchStoreWriter } from '../src/writer';

/** Small ranges and a short cleaning delay, so that short chains exercise both. */
const BLOCKS_PER_INDEX = 64;
const DELAYS = { settleBlocks: 4, tidyEveryMs: 0, dropAfterMs: 0 };

/** A store in temporary indices. */
export class TemporaryStore implements StoreUnderTest {
  readonly names = new IndexNames(`test-${randomUUID()}`);
  store!: HistoryStore;
  private readonly handles: { close(): Promise<void> }[] = [];

  private constructor(
    readonly url: string,
    private readonly options: Partial<ElasticsearchOptions>,
  ) {}

  static async open(url: string, options: Partial<ElasticsearchOptions> = {}): Promise<TemporaryStore> {
    const temporary = new TemporaryStore(url, options);
    temporary.store = await temporary.openBothSides();
    return temporary;
  }

  async openWriter(options: Partial<ElasticsearchOptions> = {}): Promise<StoreWriter> {
    return this.closedInTheEnd(await openElasticsearchStoreWriter(this.optionsWith(options), DELAYS));
  }

  async openReader(): Promise<StoreReader> {
    return this.closedInTheEnd(await openElasticsearchStoreReader(this.optionsWith({})));
  }

  async restart(): Promise<HistoryStore> {
    await this.store.close();
    return (this.store = await this.openBothSides());
  }

  async dispose(): Promise<void> {
    await Promise.all(this.handles.map((handle) => handle.close()));
    await removeIndices(this.url, this.names.prefix);
  }

  private async openBothSides(): Promise<HistoryStore> {
    const writer = await this.openWriter();
    return joinStore(await this.openReader(), writer);
  }

  private closedInTheEnd<T extends { close(): Promise<void> }>(handle: T): T {
    this.handles.push(handle);
    return handle;
  }

  private optionsWith(options: Partial<ElasticsearchOptions>): ElasticsearchOptions {
    return {
      urls: [this.url],
      indexPrefix: this.names.prefix,
      blocksPerIndex: BLOCKS_PER_INDEX,
      retainBlocks: 0,
      replicas: 0,
      bulkBytes: 1024 * 1024,
      bulkConcurrency: 2,
      commitSeconds: 0,
      requestTimeoutSeconds: 30,
      ...this.options,
      ...options,
    };
  }
}

/** Deletes the indices and templates of a prefix. */
async function removeIndices(url: string, prefix: string): Promise<void> {
  const client = new Client({ node: url });
  const indices = Object.keys(await client.indices.get({ index: `${prefix}-*`, expand_wildcards: 'all' }));
  if (indices.length > 0) await client.indices.delete({ index: indices });
  const { index_templates: templates } = await client.indices.getIndexTemplate({ name: `${prefix}-*` });
  const ours = templates.map(({ name }) => name).filter((name) => name in indexTemplates(prefix, 0));
  if (ours.length > 0) await client.indices.deleteIndexTemplate({ name: ours });
  await client.close();
}
