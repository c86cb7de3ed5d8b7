import { tooManyAccounts } from '@antelope-history/store';
import type { Aggregation, Query } from '../client/search';
import type { PermissionDocument } from '../indices/documents';
import { onBranch, stateBlocks } from './branch-filter';
import { singleIndexSearch, type QueryState } from './query-state';

/** Buckets per page. */
const PAGE = 10_000;
/**
 * The permissions of up to this many owners are compared at once. Of more owners, one search first finds those that have a version which
 * does not match: few have one, and a search for owners takes a fifth of the time of one for their permissions.
 */
const FEW_OWNERS = 50;

/** Versions of one owner, or of one of its permissions. */
interface OwnerBucket {
  key: { owner: string };
}

/** One permission: the block of its newest version, and of the newest one that matches. */
interface PermissionBucket extends OwnerBucket {
  newest: { value: number };
  matching: { newest: { value: number | null } };
}

/** Whether the newest version of an account's permission `owner` is not its removal. */
export async function hasOwnerPermission(state: QueryState, account: string): Promise<boolean> {
  const { searcher, progress } = state;
  const { hits } = await searcher.search({
    ...singleIndexSearch(state, 'permissions'),
    filters: [{ term: { owner: account } }, { term: { name: 'owner' } }, onBranch(progress, stateBlocks(progress))],
    size: 1,
    sort: [{ block_num: 'desc' }],
    fetch: { _source: ['removed'] },
  });
  const newest = hits[0]?._source as Pick<PermissionDocument, 'removed'> | undefined;
  return newest?.removed === false;
}

/** The owners of permissions that hold a key now, sorted, without duplicates. `keyTerm`: see `index-names.ts`. */
export function ownersOfKey(state: QueryState, keyTerm: string, maxAccounts: number): Promise<string[]> {
  return ownersHolding(state, { term: { keys: keyTerm } }, maxAccounts);
}

/** The owners of permissions that name an actor now, sorted, without duplicates. */
export function ownersOfActor(state: QueryState, actor: string, maxAccounts: number): Promise<string[]> {
  return ownersHolding(state, { term: { actors: actor } }, maxAccounts);
}

/** The owners of a permission whose newest version matches. Throws `TOO_MANY_ACCOUNTS` for more than `maxAccounts`. */
async function ownersHolding(state: QueryState, holds: Query, maxAccounts: number): Promise<string[]> {
  const owners: string[] = [];
  for await (const matching of ownersOfVersions(state, [holds])) {
    const uncertain = matching.length > FEW_OWNERS ? await ownersOfOthers(state, holds, matching) : matching;
    const released = new Set(uncertain);
    for (const owner of await holdersAmong(state, holds, uncertain)) released.delete(owner);
    owners.push(...matching.filter((owner) => !released.has(owner)));
    if (owners.length > maxAccounts) throw tooManyAccounts(maxAccounts);
  }
  return owners;
}

/** Those of at most `PAGE` owners that have a version which does not match. */
async function ownersOfOthers(state: QueryState, holds: Query, owners: readonly string[]): Promise<string[]> {
  const others: Query[] = [{ terms: { owner: [...owners] } }, { bool: { must_not: [holds] } }];
  for await (const page of ownersOfVersions(state, others)) return page;
  return [];
}

/** Those of the owners that have a permission whose newest version matches. */
async function holdersAmong(state: QueryState, holds: Query, owners: readonly string[]): Promise<Set<string>> {
  const holders = new Set<string>();
  if (owners.length === 0) return holders;
  const aggregations: Record<string, Aggregation> = {
    newest: { max: { field: 'block_num' } },
    matching: { filter: holds, aggregations: { newest: { max: { field: 'block_num' } } } },
  };
  const filters: Query[] = [{ terms: { owner: [...owners] } }];
  for await (const page of bucketsOfVersions(state, filters, ['owner', 'name'], aggregations)) {
    for (const { key, newest, matching } of page as PermissionBucket[]) {
      if (matching.newest.value === newest.value) holders.add(key.owner);
    }
  }
  return holders;
}

/** The owners of the versions that match, ascending, in pages of up to `PAGE`. */
async function* ownersOfVersions(state: QueryState, filters: readonly Query[]): AsyncGenerator<string[]> {
  for await (const page of bucketsOfVersions(state, filters, ['owner'])) yield page.map(({ key }) => key.owner);
}

/** A bucket of each combination of the fields' values in versions on the branch that match, ascending, in pages of up to `PAGE`. */
async function* bucketsOfVersions(
  state: QueryState,
  filters: readonly Query[],
  fields: readonly ('owner' | 'name')[],
  aggregations?: Record<string, Aggregation>,
): AsyncGenerator<OwnerBucket[]> {
  const { searcher, progress } = state;
  let after: OwnerBucket['key'] | undefined;
  for (;;) {
    const found = await searcher.search({
      ...singleIndexSearch(state, 'permissions'),
      filters: [...filters, onBranch(progress, stateBlocks(progress))],
      aggregations: {
        versions: {
          composite: {
            size: PAGE,
            sources: fields.map((field) => ({ [field]: { terms: { field } } })),
            ...(after && { after }),
          },
          ...(aggregations && { aggregations }),
        },
      },
    });
    const page = found.aggregations['versions'] as { buckets: OwnerBucket[] } | undefined;
    const buckets = page?.buckets ?? [];
    if (buckets.length > 0) yield buckets;
    if (buckets.length < PAGE) return;
    after = buckets.at(-1)?.key;
  }
}
