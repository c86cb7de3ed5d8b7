import type { Client } from '@elastic/elasticsearch';
import { randomUUID } from 'node:crypto';
import { BlockData, DataFields } from '@antelope-history/data-fields';
import { type BlockRecords, isStateComplete } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import { createClient } from '../src/client/client';
import { Searcher } from '../src/client/search';
import { DirectoryBuilder, type DirectoryRules } from '../src/commit/directory-builder';
import { ProgressStore } from '../src/commit/progress-store';
import { rangeStart } from '../src/indices/block-ranges';
import type { ProgressDocument } from '../src/indices/documents';
import { IndexNames, RANGED_KINDS, type RangedKind, SINGLE_KINDS } from '../src/indices/index-names';
import { indexTemplates, type TemplateOptions } from '../src/indices/index-templates';
import { emptyProgress } from '../src/indices/progress';
import { ElasticsearchReader } from '../src/read/elasticsearch-reader';
import { documentsOf, type NewDocument } from '../src/write/block-documents';
import { BulkWriter } from '../src/write/bulk-writer';
import { IndexProvisioner } from '../src/write/index-provisioner';

/** For a model of such a store: its blocks are written without an indexer's data fields. */
export const NO_DATA_FIELDS = { dataFields: [] } as const;
const NO_DATA = { data: new BlockData(new DataFields([]), { abiChanges: [] }, () => undefined), areAbisAssumed: false };
const TEMPLATES: TemplateOptions = { replicas: 0, layout: 'doc-values' };
const TIMEOUT_SECONDS = 30;
const DIRECTORY_RULES: DirectoryRules = { claimMs: 0, maxTallySize: 1_000_000 };
/** The server takes request lines of up to 4,096 bytes. */
const NAMES_PER_REQUEST = 40;
/** The status of `resource_already_exists_exception`. */
const EXISTS_ALREADY = 400;
const OPERATIONS_PER_REQUEST = 5_000;
/** Far below the 100 MiB that the server takes in one request. */
const BYTES_PER_REQUEST = 16 * 1024 ** 2;

/** The committed state that a test sets. */
export interface Committed {
  /** Ascending, without a gap. */
  blocks: readonly BlockRecords[];
  /** The block up to which the indices hold no other blocks; 0 = the progress lists all of them. */
  cleanUpTo: number;
}

/** The sequence after the last one of the blocks. */
function endSequenceOf(blocks: readonly BlockRecords[]): number {
  const last = blocks.findLast(({ transactions }) => transactions.length > 0)?.transactions.at(-1);
  return last ? last.firstSequence + last.sequenceCount : 0;
}

/** Temporary indices that a test fills with any blocks, committed or not, without the writer. */
export class IndexedBlocks {
  readonly names = new IndexNames(`read-${randomUUID()}`);
  readonly client: Client;
  readonly reader: ElasticsearchReader;
  private readonly indices = new Set<string>();
  private operations: (object | string)[] = [];
  private bytes = 0;

  private constructor(
    url: string,
    readonly blocksPerIndex: number,
  ) {
    const client = createClient({
      urls: [url],
      indexPrefix: this.names.prefix,
      blocksPerIndex,
      actionsPerIndex: 1_000_000,
      retainBlocks: 0,
      replicas: 0,
      bulkBytes: 1,
      bulkConcurrency: 1,
      commitSeconds: 1,
      requestTimeoutSeconds: TIMEOUT_SECONDS,
    });
    this.client = client;
    this.reader = this.openReader();
  }

  /** A reader that has cached nothing yet. It need not be closed: it shares the client. */
  openReader(): ElasticsearchReader {
    return new ElasticsearchReader(this.client, this.names, TIMEOUT_SECONDS);
  }

  /** A process that builds the directory of the blocks. */
  directoryBuilder(rules: DirectoryRules = DIRECTORY_RULES, client = this.client): DirectoryBuilder {
    const { names } = this;
    const parts = {
      ...{ client, names, searcher: new Searcher(client, TIMEOUT_SECONDS), bulk: new BulkWriter(client, 1) },
      progress: new ProgressStore(client, names),
      indices: new IndexProvisioner(client, names, { replicas: 0, catchUpReplicas: 0, layout: TEMPLATES.layout }),
    };
    return new DirectoryBuilder(parts, rules);
  }

  static async open(url: string, blocksPerIndex = 1_000_000): Promise<IndexedBlocks> {
    const indexed = new IndexedBlocks(url, blocksPerIndex);
    for (const [name, template] of Object.entries(indexTemplates(indexed.names.prefix, TEMPLATES))) {
      await indexed.client.indices.putIndexTemplate({ name, ...template });
    }
    for (const kind of SINGLE_KINDS) await indexed.make(indexed.names.of(kind));
    return indexed;
  }

  /** Indexes every document of the blocks without committing them. */
  async put(blocks: readonly BlockRecords[]): Promise<void> {
    for (const block of blocks) {
      // As a writer does, which makes all indices of a range before the first document of it.
      for (const kind of RANGED_KINDS) await this.make(this.rangedIndex(kind, block.position.num));
      for (const document of documentsOf(block, NO_DATA, TEMPLATES.layout)) this.add(block.position.num, document);
      if (this.operations.length >= OPERATIONS_PER_REQUEST || this.bytes >= BYTES_PER_REQUEST) await this.send();
    }
    await this.send();
    for (const kind of RANGED_KINDS) {
      await this.client.indices.putAlias({ index: `${this.names.of(kind)}-*`, name: this.names.of(kind) });
    }
    await this.client.indices.refresh({ index: `${this.names.prefix}-*` });
  }

  async commit({ blocks, cleanUpTo }: Committed): Promise<void> {
    const last = blocks.at(-1)?.position as BlockPosition;
    let hasState: boolean | undefined;
    for (const block of blocks) hasState = isStateComplete(block, hasState);
    const store = new ProgressStore(this.client, this.names);
    const read = await store.read();
    const empty = emptyProgress(this.blocksPerIndex);
    const newest = rangeStart(last.num, empty);
    const ofNewest = blocks
      .filter(({ position }) => position.num >= newest)
      .flatMap(({ transactions }) => transactions);
    const actions = ofNewest.reduce((sum, transaction) => sum + transaction.actions.length, 0);
    const progress: ProgressDocument = {
      ...empty,
      ranges: { starts: [], unwritten_from: last.num + 1, newest: { first: newest, actions } },
      // As after a fork: the blocks may be of another branch than the last ones.
      revision: (read?.progress.revision ?? 0) + 1,
      first_block_num: blocks.find(({ block }) => block !== undefined)?.position.num,
      lacks_state: hasState === false || undefined,
      committed: last,
      committed_timestamp: blocks.at(-1)?.timestamp || undefined,
      head: blocks.at(-1)?.head,
      last_irreversible: blocks.at(-1)?.lastIrreversible,
      end_sequence: endSequenceOf(blocks),
      clean_up_to: cleanUpTo,
      branch: blocks.map(({ position }) => position).filter(({ num }) => num >= cleanUpTo),
    };
    await (read ? store.replace(read, progress) : store.create(progress));
  }

  async dispose(): Promise<void> {
    const { prefix } = this.names;
    const found = await this.client.indices.get({ index: `${prefix}-*`, expand_wildcards: 'all' });
    const indices = Object.keys(found);
    while (indices.length > 0) await this.client.indices.delete({ index: indices.splice(0, NAMES_PER_REQUEST) });
    await this.client.indices.deleteIndexTemplate({ name: Object.keys(indexTemplates(prefix, TEMPLATES)) });
    // The reader closes the client.
    await this.reader.close();
  }

  /** The index of a kind that holds a block number. */
  rangedIndex(kind: RangedKind, blockNum: number): string {
    return this.names.ranged(kind, blockNum, { blocks_per_index: this.blocksPerIndex });
  }

  private async make(index: string): Promise<void> {
    if (this.indices.has(index)) return;
    this.indices.add(index);
    await this.client.indices.create({ index }, { ignore: [EXISTS_ALREADY] });
  }

  private add(num: number, { kind, id, json }: NewDocument): void {
    const ranged = RANGED_KINDS.find((each) => each === kind);
    const index = ranged ? this.rangedIndex(ranged, num) : this.names.of(kind);
    this.operations.push({ index: { _index: index, _id: id } }, json);
    this.bytes += json.length;
  }

  private async send(): Promise<void> {
    const { operations } = this;
    this.operations = [];
    this.bytes = 0;
    if (operations.length === 0) return;
    const { errors, items } = await this.client.bulk({ operations });
    if (errors) throw new Error(JSON.stringify(items.find(({ index }) => index?.error)));
  }
}
