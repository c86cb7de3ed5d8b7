import type { AbiBytesWanted, AbiRequest, AbiVersion } from '@antelope-history/store';
import { HistoryError } from '@antelope-history/schemas';
import type { FoundHit, Query, Search } from '../client/search';
import { withStoreErrors } from '../client/store-errors';
import { undamagedAbi } from '../indices/abi-hash';
import type { AbiDocument } from '../indices/documents';
import { type AbiLimit, type AbiVersionCache, type AbiVersionHit, versionAt } from './abi-version-cache';
import { onBranch, stateBlocks, within } from './branch-filter';
import { singleIndexSearch, type QueryState } from './query-state';

/** Contracts seldom have more than a few versions: one search returns the newest versions of all contracts of a page. */
const NEWEST_VERSIONS = 1_000;
/** ABIs fetched per request: one may have half a megabyte. */
const BODIES_AT_ONCE = 8;
/** The `abiHash` of no bytes. A version with this hash means that the contract has no ABI any more. */
const EMPTY_ABI = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * The ABI in force before each action: the latest change with a lower block and sequence. Nothing is requested for versions that
 * `cache` and `isKnown` know.
 */
export async function findAbis(
  state: QueryState,
  requests: readonly AbiRequest[],
  { isKnown, maxBytes }: AbiBytesWanted,
  cache?: AbiVersionCache,
): Promise<(AbiVersion | undefined)[]> {
  const limits = requests.map(limitOf);
  const versions = await versionsAt(state, limits, cache);
  const found = limits.map((limit) => versions.get(keyOf(limit)));
  const bytes = await readBytes(
    state,
    found.flatMap((version) => (version && !isKnown(version.hash) ? [version] : [])),
    maxBytes,
  );
  return found.map((version) => version && { id: version.hash, bytes: bytes.get(version.hash) });
}

/** A change before the block's first action has sequence 0 and counts for all actions of the block. */
function limitOf({ account, blockNum, sequence }: AbiRequest): AbiLimit {
  return { account, blockNum, sequence: Math.max(0, sequence - 1) };
}

function keyOf({ account, blockNum, sequence }: AbiLimit): string {
  return `${account} ${blockNum} ${sequence}`;
}

/** The version in force at each limit, by the limit's key; no entry where there is none or an empty one. */
async function versionsAt(
  state: QueryState,
  limits: readonly AbiLimit[],
  cache: AbiVersionCache | undefined,
): Promise<Map<string, AbiVersionHit>> {
  const found = new Map<string, AbiVersionHit>();
  const open = new Map<string, AbiLimit>();
  for (const limit of limits) {
    const known = cache?.find(limit, state.progress);
    if (known?.version) found.set(keyOf(limit), known.version);
    if (!known) open.set(keyOf(limit), limit);
  }
  if (open.size > 0) await searchVersions(state, open, found, cache);
  for (const [key, { hash }] of found) if (hash === EMPTY_ABI) found.delete(key);
  return found;
}

/** Adds to `found` the version in force at each limit of `open`. */
async function searchVersions(
  state: QueryState,
  open: Map<string, AbiLimit>,
  found: Map<string, AbiVersionHit>,
  cache: AbiVersionCache | undefined,
): Promise<void> {
  const { searcher, progress } = state;
  const accounts = new Set([...open.values()].map(({ account }) => account));
  const { hits } = await searcher.search(newestSearch(state, [...accounts]));
  const newest = versionsByAccount(hits);
  if (hits.length < NEWEST_VERSIONS) cache?.keep(accounts, newest, progress);
  for (const [key, limit] of open) {
    const version = versionAt(newest.get(limit.account) ?? [], limit, progress);
    if (version) found.set(key, version);
    if (version || hits.length < NEWEST_VERSIONS) open.delete(key);
  }
  const older = await searcher.searchAll([...open.values()].map((limit) => latestSearch(state, limit)));
  for (const [index, key] of [...open.keys()].entries()) {
    const hit = older[index]?.hits[0];
    if (hit) found.set(key, versionOf(hit));
  }
}

function versionsByAccount(hits: readonly FoundHit[]): Map<string, AbiVersionHit[]> {
  const versions = new Map<string, AbiVersionHit[]>();
  for (const version of hits.map(versionOf)) {
    const ofAccount = versions.get(version.account);
    if (ofAccount) ofAccount.push(version);
    else versions.set(version.account, [version]);
  }
  return versions;
}

function versionOf(hit: FoundHit): AbiVersionHit {
  const value = (field: keyof AbiDocument): unknown => hit.fields?.[field]?.[0];
  return {
    account: value('account') as string,
    blockNum: value('block_num') as number,
    sequence: value('sequence') as number,
    hash: value('hash') as string,
    index: hit.index,
    id: hit.id,
  };
}

/** Searches the newest versions of all the accounts, up to the committed block. */
function newestSearch(state: QueryState, accounts: readonly string[]): Search {
  const { last } = stateBlocks(state.progress);
  return versionSearch(state, [{ terms: { account: [...accounts] } }], last, NEWEST_VERSIONS);
}

/** Searches the one version in force at a limit. */
function latestSearch(state: QueryState, { account, blockNum, sequence }: AbiLimit): Search {
  const inBlock: Query[] = [{ term: { block_num: blockNum } }, { range: { sequence: { lte: sequence } } }];
  const upTo: Query = {
    bool: {
      should: [{ range: { block_num: { lt: blockNum } } }, { bool: { filter: inBlock } }],
      minimum_should_match: 1,
    },
  };
  return versionSearch(state, [{ term: { account } }, upTo], blockNum, 1);
}

function versionSearch(state: QueryState, filters: Query[], lastBlock: number, size: number): Search {
  const { progress } = state;
  const blocks = within(stateBlocks(progress), { first: 0, last: lastBlock }) ?? { first: 0, last: 0 };
  return {
    ...singleIndexSearch(state, 'abis'),
    filters: [...filters, onBranch(progress, blocks)],
    size,
    sort: [{ block_num: 'desc' }, { sequence: 'desc' }],
    fetch: { docvalue_fields: ['account', 'block_num', 'sequence', 'hash'] },
  };
}

/** The bytes of versions by hash, until they reach `maxBytes`; versions of one hash have the same bytes. */
async function readBytes(
  { searcher: { client } }: QueryState,
  versions: readonly AbiVersionHit[],
  maxBytes: number,
): Promise<Map<string, Buffer>> {
  const wanted = [...new Map(versions.map((version) => [version.hash, version])).values()];
  const bytes = new Map<string, Buffer>();
  let total = 0;
  for (let start = 0; start < wanted.length && total < maxBytes; start += BODIES_AT_ONCE) {
    const docs = wanted.slice(start, start + BODIES_AT_ONCE).map(({ index, id }) => ({ _index: index, _id: id }));
    const { docs: got } = await withStoreErrors(
      client.mget<AbiDocument>({ docs, _source_includes: ['account', 'hash', 'abi'] }),
    );
    for (const doc of got) {
      const source = '_source' in doc ? doc._source : undefined;
      // The document is missing because its branch was undone and cleaned up since the query began.
      if (!source) throw new HistoryError('STORE_UNAVAILABLE', 'the branch of the query was undone while it was read');
      // Bytes beyond the limit are dropped: the batch size must not change the result.
      if (total >= maxBytes) break;
      const abi = undamagedAbi(source);
      if (!abi) throw new HistoryError('INTERNAL', `an ABI of ${source.account} is stored damaged: run npm run repair`);
      total += abi.length;
      bytes.set(source.hash, abi);
    }
  }
  return bytes;
}
