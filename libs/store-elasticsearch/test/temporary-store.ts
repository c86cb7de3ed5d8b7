import { Client } from '@elastic/elasticsearch';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreReader, StoreWriter } from '@antelope-history/store';
import {
  CONTRACT_DATA_FIELDS,
  type HistoryStore,
  joinStore,
  type StoreUnderTest,
} from '@antelope-history/store/contract';
import type { CleaningRules } from '../src/commit/branch-cleaner';
import { rangeLast, rangeStart } from '../src/indices/block-ranges';
import { IndexNames } from '../src/indices/index-names';
import { indexTemplates } from '../src/indices/index-templates';
import { ProgressReader } from '../src/indices/progress';
import { type ElasticsearchOptions, openElasticsearchStoreReader } from '../src/reader';
import { type ElasticsearchDelays, type ElasticsearchWriterOptions, openElasticsearchStoreWriter } from '../src/writer';

/**
 * Synthetic chains begin at block 100, so that all but the shortest span two indices, and recordings of 500 blocks four:
 * creating an index costs a server as much as hundreds of queries.
 */
const BLOCKS_PER_INDEX = 128;
const ACTIONS_PER_INDEX = 1_000_000;
/** Orphaned documents are removed after few blocks and at once, so that short chains come to it. */
const DELAYS: ElasticsearchDelays = {
  cleaning: { settleBlocks: 4, cleanBlocks: 1, forkPauseMs: 0, startPauseMs: 0, sweepEveryMs: Infinity },
  permissionDelayMs: 0,
  idleEveryMs: 0,
  directoryRetryMs: 0,
  tidyEveryMs: 0,
  dropAfterMs: 0,
  directory: { claimMs: 0, maxTallySize: 1_000_000 },
  postponeMs: 20,
};

/** The names of more indices may be longer than a server takes in a request line (4,096 bytes). */
const INDICES_PER_REQUEST = 50;
const SETTLE_LIMIT_MS = 60_000;
const SETTLE_POLL_MS = 50;

/** Runs a test on temporary indices, which it then deletes. */
export async function withTemporaryStore(
  url: string,
  options: Partial<ElasticsearchOptions>,
  body: (temporary: TemporaryStore) => Promise<void>,
): Promise<void> {
  const temporary = await TemporaryStore.open(url, options);
  try {
    await body(temporary);
  } finally {
    await temporary.dispose();
  }
}

/** A store in temporary indices. */
export class TemporaryStore implements StoreUnderTest {
  readonly names: IndexNames;
  store!: HistoryStore;
  private readonly handles: { close(): Promise<void> }[] = [];

  private constructor(
    readonly url: string,
    private readonly options: Partial<ElasticsearchOptions>,
  ) {
    this.names = new IndexNames(options.indexPrefix ?? `test-${randomUUID()}`);
  }

  static async open(url: string, options: Partial<ElasticsearchOptions> = {}): Promise<TemporaryStore> {
    return TemporaryStore.begin(url, options, () => Promise.resolve());
  }

  /** `prepare` runs before the store is opened for the first time. */
  static async begin(
    url: string,
    options: Partial<ElasticsearchOptions>,
    prepare: (temporary: TemporaryStore, client: Client) => Promise<void>,
  ): Promise<TemporaryStore> {
    const temporary = new TemporaryStore(url, options);
    const client = new Client({ node: url });
    await prepare(temporary, client);
    await client.close();
    temporary.store = await temporary.openBothSides();
    return temporary;
  }

  async openWriter(
    options: Partial<ElasticsearchWriterOptions> = {},
    cleaning: Partial<CleaningRules> = {},
    postponeMs = DELAYS.postponeMs,
  ): Promise<StoreWriter> {
    const delays = { ...DELAYS, postponeMs, cleaning: { ...DELAYS.cleaning, ...cleaning } };
    return this.closedInTheEnd(await openElasticsearchStoreWriter(this.optionsWith(options), delays));
  }

  async openReader(): Promise<StoreReader> {
    return this.closedInTheEnd(await openElasticsearchStoreReader(this.optionsWith({})));
  }

  async restart(): Promise<HistoryStore> {
    await this.store.close();
    return (this.store = await this.openBothSides());
  }

  /** Resolves when the directory covers every clean range. */
  async settled(): Promise<void> {
    const client = new Client({ node: this.url });
    try {
      const reader = new ProgressReader(client, this.names);
      for (const start = performance.now(); ;) {
        const { progress } = (await reader.read()) ?? {};
        if (progress?.first_block_num === undefined) return;
        const missing = Math.max(progress.directory?.to ?? 0, rangeStart(progress.first_block_num, progress));
        if (rangeLast(missing, progress) > progress.clean_up_to) return;
        if (performance.now() - start > SETTLE_LIMIT_MS) throw new Error(`the directory ends before block ${missing}`);
        await sleep(SETTLE_POLL_MS);
      }
    } finally {
      await client.close();
    }
  }

  /** The options of both sides. */
  optionsWith(options: Partial<ElasticsearchWriterOptions>): ElasticsearchWriterOptions {
    return {
      dataFields: CONTRACT_DATA_FIELDS,
      urls: [this.url],
      indexPrefix: this.names.prefix,
      blocksPerIndex: BLOCKS_PER_INDEX,
      actionsPerIndex: ACTIONS_PER_INDEX,
      retainBlocks: 0,
      replicas: 0,
      bulkBytes: 1024 * 1024,
      bulkConcurrency: 2,
      commitSeconds: 0,
      requestTimeoutSeconds: 120,
      ...this.options,
      ...options,
    };
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
}

/** Deletes the indices and templates of a prefix. */
async function removeIndices(url: string, prefix: string): Promise<void> {
  const client = new Client({ node: url });
  const indices = Object.keys(await client.indices.get({ index: `${prefix}-*`, expand_wildcards: 'all' }));
  for (let at = 0; at < indices.length; at += INDICES_PER_REQUEST) {
    await client.indices.delete({ index: indices.slice(at, at + INDICES_PER_REQUEST) });
  }
  const { index_templates: templates } = await client.indices.getIndexTemplate({ name: `${prefix}-*` });
  const ours = templates
    .map(({ name }) => name)
    .filter((name) => name in indexTemplates(prefix, { replicas: 0, layout: 'doc-values' }));
  if (ours.length > 0) await client.indices.deleteIndexTemplate({ name: ours });
  await client.close();
}
