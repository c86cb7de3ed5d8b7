import type { Client } from '@elastic/elasticsearch';
import type { BlockPosition } from '@antelope-history/schemas';
import { refreshIndices } from '../client/refresh';
import type { FoundHit, Query, Search, Searcher } from '../client/search';
import { withStoreErrors, foundDocuments } from '../client/store-errors';
import { type BlockRange, type RangeLayout, rangeStart, rangeStarts } from '../indices/block-ranges';
import type { JournalDocument, ProgressDocument } from '../indices/documents';
import { type IndexNames, RANGED_KINDS } from '../indices/index-names';
import { BulkRequest } from '../write/bulk-request';
import type { BulkWriter } from '../write/bulk-writer';

/** Blocks listed in one search. */
const BLOCKS_AT_ONCE = 1_000;
/** Documents deleted per request. */
const STRAYS_AT_ONCE = 5_000;

/** Indices named in one URL: the server refuses request lines above 4 KB, and a prefix may have 100 characters. */
const INDICES_AT_ONCE = 25;

const KINDS = ['actions', 'blocks', 'bodies', 'abis', 'permissions'] as const;
type Kind = (typeof KINDS)[number];

/** What keeps blocks from being committed: documents are missing, or have data from elsewhere than their journal entry says. */
export type Lack = 'documents' | 'data';

/** Checks that the documents of blocks are complete, and deletes those of orphaned blocks. */
export class BranchDocuments {
  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
    private readonly searcher: Searcher,
    private readonly bulk: BulkWriter,
  ) {}

  /** Makes the durable documents of the blocks visible to searches. */
  async refresh(blocks: readonly JournalDocument[], layout: RangeLayout): Promise<void> {
    const indices = new Set(blocks.flatMap((block) => this.indicesOf(block, layout)));
    if (indices.size > 0) await this.refreshAll([...indices]);
  }

  /**
   * What the blocks lack, if anything. Of each kind there have to be at least as many visible documents as the journal has counted.
   * There are more when another message had more of the same block: a node that was started from a snapshot sends its first block
   * without traces.
   */
  async lackOf(blocks: readonly JournalDocument[], layout: RangeLayout): Promise<Lack | undefined> {
    for (const group of groupsOf(blocks, layout)) {
      const ofBlocks: Query = { terms: { block: group.map(({ position }) => position.id) } };
      const marks = group.flatMap(({ data_mark: mark }) => mark ?? []);
      const expected = [
        ...KINDS.map((kind) => ({
          kind,
          filters: [ofBlocks],
          count: countOf(kind, group),
          lack: 'documents' as const,
        })),
        {
          kind: 'actions' as const,
          filters: [ofBlocks, { terms: { data: marks.map(({ mark }) => mark) } }],
          count: marks.reduce((sum, { actions }) => sum + actions, 0),
          lack: 'data' as const,
        },
      ].filter(({ count }) => count > 0);
      const { num } = (group[0] as JournalDocument).position;
      const found = await this.searcher.searchAll(
        expected.map(({ kind, filters }) => ({ index: this.indexOf(kind, num, layout), filters, count: true })),
      );
      const lacking = expected.find(({ count }, index) => (found[index]?.total ?? 0) < count);
      if (lacking) return lacking.lack;
    }
    return undefined;
  }

  /** The ids of those blocks, all below the listed branch, that are stored. */
  async storedOf(positions: readonly BlockPosition[], progress: ProgressDocument): Promise<Set<string>> {
    const { first_block_num: first = 0 } = progress;
    if (positions.length === 0) return new Set();
    const { docs } = await withStoreErrors(
      this.client.mget({
        docs: positions.map(({ num, id }) => ({ _index: this.names.ranged('blocks', num, progress), _id: id })),
        _source: false,
      }),
    );
    // Below the history there may be no index: none was made, or retention has dropped it.
    const readable = docs.filter((doc, index) => !('error' in doc) || (positions[index]?.num ?? 0) >= first);
    return new Set(foundDocuments(readable).flatMap((doc) => (doc ? [doc._id] : [])));
  }

  /**
   * Deletes the documents of all blocks above `after` and up to `upTo` that are not on the branch; resolves when none of them
   * exists. `branch`: its blocks in that range, ascending.
   */
  async removeStrays(
    after: number,
    upTo: number,
    branch: readonly BlockPosition[],
    layout: RangeLayout,
  ): Promise<void> {
    let start = after;
    for (let from = 0; from < branch.length || start < upTo; from += BLOCKS_AT_ONCE) {
      const some = branch.slice(from, from + BLOCKS_AT_ONCE);
      const end = from + BLOCKS_AT_ONCE < branch.length ? (some.at(-1) as BlockPosition).num : upTo;
      const blocks = { first: start + 1, last: end };
      const searches = KINDS.flatMap((kind) => this.straySearches(kind, blocks, some, layout));
      // A commit refreshes only the indices of its own blocks: a document of an orphan may not be visible to a search yet.
      await this.refreshAll(searches.map(({ index }) => index));
      while (await this.removeFound(searches));
      start = end;
    }
  }

  /** Deletes one page of what the searches find; returns whether there was any. */
  private async removeFound(searches: readonly Search[]): Promise<boolean> {
    const found = (await this.searcher.searchAll(searches)).flatMap(({ hits }) => hits);
    if (found.length === 0) return false;
    await this.remove(found);
    await this.refreshAll([...new Set(found.map(({ index }) => index))]);
    return true;
  }

  /** Ignores an index that does not exist, because retention may have dropped it; a search reports it if it must exist. */
  private async refreshAll(indices: readonly string[]): Promise<void> {
    for (let start = 0; start < indices.length; start += INDICES_AT_ONCE) {
      const index = indices.slice(start, start + INDICES_AT_ONCE);
      await refreshIndices(this.client, index, { ignore_unavailable: true });
    }
  }

  private async remove(hits: readonly FoundHit[]): Promise<void> {
    const request = new BulkRequest();
    for (const { index, id } of hits) request.remove(index, id);
    await this.bulk.write([request]);
  }

  /** One search per index: one that was lost or dropped has no documents, and would hide those of the others. */
  private straySearches(
    kind: Kind,
    blocks: BlockRange,
    branch: readonly BlockPosition[],
    layout: RangeLayout,
  ): Search[] {
    const filters: Query[] = [
      { range: { block_num: { gte: blocks.first, lte: blocks.last } } },
      { bool: { must_not: [{ terms: { block: branch.map(({ id }) => id) } }] } },
    ];
    return this.indicesOfBlocks(kind, blocks, layout).map((index) => ({
      index,
      minIndices: 0,
      filters,
      size: STRAYS_AT_ONCE,
    }));
  }

  private indicesOf({ position, counts }: JournalDocument, layout: RangeLayout): string[] {
    return [
      ...RANGED_KINDS.map((kind) => this.names.ranged(kind, position.num, layout)),
      ...(counts.abis > 0 ? [this.names.abis] : []),
      ...(counts.permissions > 0 ? [this.names.permissions] : []),
    ];
  }

  private indexOf(kind: Kind, blockNum: number, layout: RangeLayout): string {
    if (kind === 'abis' || kind === 'permissions') return this.names.of(kind);
    return this.names.ranged(kind, blockNum, layout);
  }

  /** From block 1 on the range starts are unknown, so the alias is searched. */
  private indicesOfBlocks(kind: Kind, blocks: BlockRange, layout: RangeLayout): string[] {
    if (kind === 'abis' || kind === 'permissions' || blocks.first === 1) return [this.names.of(kind)];
    return rangeStarts(blocks, layout).map((start) => this.names.ranged(kind, start, layout));
  }
}

/** The number of documents of a kind that the blocks have. */
function countOf(kind: Kind, blocks: readonly JournalDocument[]): number {
  switch (kind) {
    case 'blocks':
      return blocks.length;
    case 'bodies':
      return blocks.filter(({ has_block }) => has_block).length;
    default:
      return blocks.reduce((sum, { counts }) => sum + counts[kind], 0);
  }
}

/** Splits ascending blocks by index range, and where there are too many for one search. */
function groupsOf(blocks: readonly JournalDocument[], layout: RangeLayout): JournalDocument[][] {
  const groups: JournalDocument[][] = [];
  for (const block of blocks) {
    const group = groups.at(-1);
    const start = group && rangeStart((group[0] as JournalDocument).position.num, layout);
    const fits = start === rangeStart(block.position.num, layout) && group && group.length < BLOCKS_AT_ONCE;
    if (fits) group.push(block);
    else groups.push([block]);
  }
  return groups;
}
