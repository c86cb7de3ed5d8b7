import type { FoundHit, Query, Searcher } from '../client/search';
import type { PermissionDocument } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';
import { BulkRequest } from '../write/bulk-request';
import type { BulkWriter } from '../write/bulk-writer';

/** Changes examined per call. */
const CHANGES_AT_ONCE = 500;
/** Older versions of one permission deleted per change. */
const VERSIONS_AT_ONCE = 1_000;

/**
 * Deletes superseded versions of permissions, so that the index holds little more than the current state. Queries do not need
 * this: a version that no process deletes does no harm.
 */
export class PermissionCleaner {
  private cleanedUpTo: number | undefined;
  private waiting: { upTo: number; since: number } | undefined;

  /** `delayMs`: how long versions are kept after they were superseded; a query reads the state of its start for that long. */
  constructor(
    private readonly names: IndexNames,
    private readonly searcher: Searcher,
    private readonly bulk: BulkWriter,
    private readonly delayMs: number,
  ) {}

  /** Cleans some of the changes up to a block, at most the committed one, that was given at least `delayMs` ago. */
  async clean(committedUpTo: number): Promise<void> {
    this.waiting ??= { upTo: committedUpTo, since: performance.now() };
    const { upTo, since } = this.waiting;
    if (performance.now() - since < this.delayMs) return;
    await this.cleanUpTo(upTo);
    // A store that was restored from a snapshot begins again below what was cleaned.
    if (this.cleanedUpTo !== undefined && this.cleanedUpTo >= upTo) this.waiting = undefined;
  }

  private async cleanUpTo(upTo: number): Promise<void> {
    this.cleanedUpTo ??= upTo;
    if (upTo <= this.cleanedUpTo) return;
    const changes = await this.changesWithin(this.cleanedUpTo, upTo);
    await this.remove(await this.supersededBy(changes));
    const last = changes.length < CHANGES_AT_ONCE ? undefined : changes.at(-1);
    this.cleanedUpTo = last ? Math.max(last.block_num - 1, this.cleanedUpTo + 1) : upTo;
  }

  private async changesWithin(after: number, upTo: number): Promise<PermissionDocument[]> {
    const { hits } = await this.searcher.search({
      index: this.names.permissions,
      filters: [{ range: { block_num: { gt: after, lte: upTo } } }],
      size: CHANGES_AT_ONCE,
      sort: [{ block_num: 'asc' }],
      fetch: { _source: ['owner', 'name', 'block_num'] },
    });
    return hits.map(({ _source }) => _source as PermissionDocument);
  }

  private async supersededBy(changes: readonly PermissionDocument[]): Promise<FoundHit[]> {
    const found = await this.searcher.searchAll(
      changes.map(({ owner, name, block_num: blockNum }) => ({
        index: this.names.permissions,
        filters: [
          { term: { owner } },
          { term: { name } },
          { range: { block_num: { lt: blockNum } } },
        ] satisfies Query[],
        size: VERSIONS_AT_ONCE,
      })),
    );
    return found.flatMap(({ hits }) => hits);
  }

  private async remove(hits: readonly FoundHit[]): Promise<void> {
    const request = new BulkRequest();
    for (const { index, id } of hits) request.remove(index, id);
    if (hits.length > 0) await this.bulk.write([request]);
  }
}
