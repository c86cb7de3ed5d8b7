import type { Query } from '../client/search';
import type { PermissionDocument } from '../indices/documents';
import { onBranch, stateBlocks } from './branch-filter';
import { wholeState, type Snapshot } from './snapshot';

/** Permissions per page. */
const PAGE = 10_000;

/** One permission and the newest block with a matching version of it. */
interface PermissionBucket {
  key: { owner: string; name: string };
  newest: { value: number };
}

/** Whether the newest version of an account's permission `owner` is not its removal. */
export async function hasOwnerPermission(snapshot: Snapshot, account: string): Promise<boolean> {
  const { searcher, progress } = snapshot;
  const { hits } = await searcher.search({
    ...wholeState(snapshot, 'permissions'),
    filters: [{ term: { owner: account } }, { term: { name: 'owner' } }, onBranch(progress, stateBlocks(progress))],
    size: 1,
    sort: [{ block_num: 'desc' }],
    fetch: { _source: ['removed'] },
  });
  const newest = hits[0]?._source as Pick<PermissionDocument, 'removed'> | undefined;
  return newest?.removed === false;
}

/** The owners of permissions that hold a key now, sorted, without duplicates. `keyTerm`: see `index-names.ts`. */
export function ownersOfKey(snapshot: Snapshot, keyTerm: string): Promise<string[]> {
  return ownersHolding(snapshot, { term: { keys: keyTerm } });
}

/** The owners of permissions that name an actor now, sorted, without duplicates. */
export function ownersOfActor(snapshot: Snapshot, actor: string): Promise<string[]> {
  return ownersHolding(snapshot, { term: { actors: actor } });
}

/** A permission holds what its newest version holds: a match counts if no later version fails to match. */
async function ownersHolding(snapshot: Snapshot, holds: Query): Promise<string[]> {
  const owners = new Set<string>();
  for await (const page of newestVersions(snapshot, [holds])) {
    const candidates = [...new Set(page.map(({ key }) => key.owner))];
    const releases = await newestReleases(snapshot, holds, candidates);
    for (const { key, newest } of page) {
      if (newest.value > (releases.get(nameOf(key)) ?? -1)) owners.add(key.owner);
    }
  }
  return [...owners].sort();
}

/** By permission name: the newest block in which a permission of these owners did not match. */
async function newestReleases(snapshot: Snapshot, holds: Query, owners: string[]): Promise<Map<string, number>> {
  const released: Query[] = [{ terms: { owner: owners } }, { bool: { must_not: [holds] } }];
  const releases = new Map<string, number>();
  for await (const page of newestVersions(snapshot, released)) {
    for (const { key, newest } of page) releases.set(nameOf(key), newest.value);
  }
  return releases;
}

function nameOf({ owner, name }: PermissionBucket['key']): string {
  return `${owner}@${name}`;
}

/** Every permission with a matching version, in pages in the order of owners. */
async function* newestVersions(snapshot: Snapshot, filters: Query[]): AsyncGenerator<PermissionBucket[]> {
  const { searcher, progress } = snapshot;
  let after: PermissionBucket['key'] | undefined;
  for (;;) {
    const { aggregations } = await searcher.search({
      ...wholeState(snapshot, 'permissions'),
      filters: [...filters, onBranch(progress, stateBlocks(progress))],
      aggregations: {
        permissions: {
          composite: {
            size: PAGE,
            sources: [{ owner: { terms: { field: 'owner' } } }, { name: { terms: { field: 'name' } } }],
            ...(after && { after }),
          },
          aggregations: { newest: { max: { field: 'block_num' } } },
        },
      },
    });
    const page = aggregations['permissions'] as { buckets: PermissionBucket[] } | undefined;
    const buckets = page?.buckets ?? [];
    if (buckets.length > 0) yield buckets;
    if (buckets.length < PAGE) return;
    after = buckets.at(-1)?.key;
  }
}
