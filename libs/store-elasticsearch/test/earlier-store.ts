import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoreMigration, StoreReader, StoreWriter } from '@antelope-history/store';
import type { EarlierStore } from '@antelope-history/store/contract';
import { createClient } from '../src/client/client';
import { ProgressStore } from '../src/commit/progress-store';
import { emptyProgress, PROGRESS_ID } from '../src/indices/progress';
import { indexTemplates, type TemplateOptions } from '../src/indices/index-templates';
import type { ActionLayout, ProgressDocument, SourceActionDocument } from '../src/indices/documents';
import { migrateElasticsearch } from '../src/migrate';
import { TemporaryStore } from './temporary-store';

/** Actions per step of a migration: few, so that it can be ended anywhere; each step is a few requests. */
const ACTIONS_PER_STEP = 7;
/** Few, so that most chains have several indices. */
const BLOCKS_PER_INDEX = 16;
/** The server's own limit of a search; an index of a generated chain has fewer actions. */
const MAX_ACTIONS = 10_000;
const SOURCE: TemplateOptions = { replicas: 0, layout: 'source' };

/** The data of a shared store that an earlier version began. */
export class EarlierElasticsearchStore implements EarlierStore {
  private constructor(readonly store: TemporaryStore) {}

  /** `layout`: of its actions; `becomeEarlier` needs those in `_source`. */
  static async open(url: string, layout: ActionLayout = 'source'): Promise<EarlierElasticsearchStore> {
    const options = { blocksPerIndex: BLOCKS_PER_INDEX };
    const store =
      layout === 'source'
        ? await TemporaryStore.begin(url, options, beginEarlier)
        : await TemporaryStore.open(url, options);
    return new EarlierElasticsearchStore(store);
  }

  openWriter(dataFields: readonly string[]): Promise<StoreWriter> {
    return this.store.openWriter({ dataFields });
  }

  openReader(): Promise<StoreReader> {
    return this.store.openReader();
  }

  async becomeEarlier(dataFields: readonly string[]): Promise<void> {
    const { names } = this.store;
    const client = createClient(this.store.optionsWith({}));
    const index = `${names.of('actions')}-*`;
    await client.indices.refresh({ index });
    // The templates of the next writer have the later fields again.
    await client.indices.deleteIndexTemplate({ name: names.of('actions') });
    for (const [name, { aliases = {} }] of Object.entries(await client.indices.get({ index }))) {
      const { hits } = await client.search<SourceActionDocument>({ index: name, size: MAX_ACTIONS, version: true });
      if (hits.hits.length === MAX_ACTIONS) throw new Error('too many actions for one search');
      await client.indices.delete({ index: name });
      await client.indices.create({ index: name, ...templateWithout(names.prefix, dataFields.length > 0), aliases });
      const operations = hits.hits.flatMap((hit) => earlierAction(hit, dataFields));
      if (operations.length > 0) await client.bulk({ operations });
      await client.indices.refresh({ index: name });
    }
    const { _source: progress } = await client.get<ProgressDocument>({ index: names.progress, id: PROGRESS_ID });
    const { counts_traces: _, ...earlier } = progress as ProgressDocument;
    await client.index({ index: names.progress, id: PROGRESS_ID, document: earlier });
    await client.close();
  }

  /** `url`: of a proxy of the server. */
  migrate(dataFields: readonly string[], steps: number, url = this.store.url): Promise<StoreMigration> {
    const stopping = new AbortController();
    let done = 0;
    return migrateElasticsearch({
      ...this.store.optionsWith({ dataFields, urls: [url] }),
      actionsPerStep: ACTIONS_PER_STEP,
      signal: stopping.signal,
      onProgress: () => {
        if (++done >= steps) stopping.abort();
      },
    });
  }

  dispose(): Promise<void> {
    return this.store.dispose();
  }
}

/** Writes the first progress of a store as a version does that keeps actions in `_source`. */
export async function beginEarlier({ names }: TemporaryStore, client: Client): Promise<void> {
  const { index_patterns, priority, template } = indexTemplates(names.prefix, SOURCE)[names.progress] ?? {};
  await client.indices.putIndexTemplate({ name: names.progress, index_patterns, priority, template });
  const { action_layout: _, ...progress } = emptyProgress(BLOCKS_PER_INDEX);
  await new ProgressStore(client, names).create(progress);
}

/** The settings and the mapping of an index of actions, without the fields that the earlier version does not have. */
function templateWithout(
  prefix: string,
  hasData: boolean,
): Pick<estypes.IndicesCreateRequest, 'settings' | 'mappings'> {
  const { template } = indexTemplates(prefix, SOURCE)[`${prefix}-actions`] ?? {};
  const { data, authorizers: _, further_traces: __, ...properties } = template?.mappings.properties ?? {};
  return {
    ...(template && { settings: template.settings }),
    mappings: { ...template?.mappings, properties: { ...properties, ...(hasData && data && { data }) } },
  };
}

/** The operation that writes an action as the earlier version does, in its version. */
function earlierAction(
  { _index, _id, _version, _source }: estypes.SearchHit<SourceActionDocument>,
  dataFields: readonly string[],
): object[] {
  const { authorizers: _, further_traces: __, data = [], ...fields } = _source as SourceActionDocument;
  const kept = data.filter((term) =>
    dataFields.includes(`${fields.contract}:${fields.name}.${term.slice(0, term.search(/[=#]/))}`),
  );
  const version = { version: _version ?? 0, version_type: 'external' };
  return [{ index: { _index, _id, ...version } }, { ...fields, ...(kept.length > 0 && { data: kept }) }];
}
