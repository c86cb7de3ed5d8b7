import type { AbiBytesWanted, AbiRequest, AbiVersion } from '@antelope-history/store';
import { HistoryError } from '@antelope-history/schemas';
import type { FoundHit, Query, Search } from '../client/search';
import { asked } from '../client/store-errors';
import type { AbiDocument } from '../indices/documents';
import { onBranch, stateBlocks, within } from './branch-filter';
import { wholeState, type Snapshot } from './snapshot';

/** A version of a contract's ABI, without its bytes. */
interface AbiVersionHit {
  account: string;
  blockNum: number;
  sequence: number;
  hash: string;
  hit: FoundHit;
}

/** The last block and sequence at which a change counts for a request. */
interface Limit {
  account: string;
  blockNum: number;
  sequence: number;
}

/** Contracts seldom have more than a few versions: one search returns the newest versions of all contracts of a page. */
const NEWEST_VERSIONS = 1_000;
/** ABIs fetched per request: one may have half a megabyte. */
const BODIES_AT_ONCE = 8;
/** SHA-256 of no bytes: the version that ends the one before it. */
const NO_ABI = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The ABI in force before each action: the latest change with a lower block and sequence. */
export async function findAbis(
  snapshot: Snapshot,
  requests: readonly AbiRequest[],
  { isKnown, maxBytes }: AbiBytesWanted,
): Promise<(AbiVersion | undefined)[]> {
  const limits = requests.map(limitOf);
  const versions = await versionsAt(snapshot, limits);
  const found = limits.map((limit) => versions.get(keyOf(limit)));
  const bytes = await readBytes(
    snapshot,
    found.flatMap((version) => (version && !isKnown(version.hash) ? [version] : [])),
    maxBytes,
  );
  return found.map((version) => version && { id: version.hash, bytes: bytes.get(version.hash) });
}

/** A change before the block's first action has sequence 0 and counts for all actions of the block. */
function limitOf({ account, blockNum, sequence }: AbiRequest): Limit {
  return { account, blockNum, sequence: Math.max(0, sequence - 1) };
}

function keyOf({ account, blockNum, sequence }: Limit): string {
  return `${account} ${blockNum} ${sequence}`;
}

/** The version in force at each limit, by the limit's key; no entry where there is none or an empty one. */
async function versionsAt(snapshot: Snapshot, limits: readonly Limit[]): Promise<Map<string, AbiVersionHit>> {
  const { searcher } = snapshot;
  const open = new Map(limits.map((limit) => [keyOf(limit), limit]));
  const found = new Map<string, AbiVersionHit>();
  if (open.size === 0) return found;
  const { hits } = await searcher.search(newestSearch(snapshot, [...open.values()]));
  const newest = versionsByAccount(hits);
  for (const [key, limit] of open) {
    const version = newest.get(limit.account)?.find((each) => !isAfter(each, limit));
    if (version) found.set(key, version);
    if (version || hits.length < NEWEST_VERSIONS) open.delete(key);
  }
  const older = await searcher.searchAll([...open.values()].map((limit) => latestSearch(snapshot, limit)));
  for (const [index, key] of [...open.keys()].entries()) {
    const hit = older[index]?.hits[0];
    if (hit) found.set(key, versionOf(hit));
  }
  for (const [key, { hash }] of found) if (hash === NO_ABI) found.delete(key);
  return found;
}

function isAfter(version: AbiVersionHit, limit: Limit): boolean {
  return version.blockNum === limit.blockNum ? version.sequence > limit.sequence : version.blockNum > limit.blockNum;
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
    hit,
  };
}

/** Searches the newest versions of all the accounts, up to the newest block. */
function newestSearch(snapshot: Snapshot, limits: readonly Limit[]): Search {
  const accounts = [...new Set(limits.map(({ account }) => account))];
  const last = limits.reduce((newest, { blockNum }) => Math.max(newest, blockNum), 0);
  return versionSearch(snapshot, [{ terms: { account: accounts } }], last, NEWEST_VERSIONS);
}

/** Searches the one version in force at a limit. */
function latestSearch(snapshot: Snapshot, { account, blockNum, sequence }: Limit): Search {
  const inBlock: Query[] = [{ term: { block_num: blockNum } }, { range: { sequence: { lte: sequence } } }];
  const upTo: Query = {
    bool: {
      should: [{ range: { block_num: { lt: blockNum } } }, { bool: { filter: inBlock } }],
      minimum_should_match: 1,
    },
  };
  return versionSearch(snapshot, [{ term: { account } }, upTo], blockNum, 1);
}

function versionSearch(snapshot: Snapshot, filters: Query[], lastBlock: number, size: number): Search {
  const { progress } = snapshot;
  const blocks = within(stateBlocks(progress), { first: 0, last: lastBlock }) ?? { first: 0, last: 0 };
  return {
    ...wholeState(snapshot, 'abis'),
    filters: [...filters, onBranch(progress, blocks)],
    size,
    sort: [{ block_num: 'desc' }, { sequence: 'desc' }],
    fetch: { docvalue_fields: ['account', 'block_num', 'sequence', 'hash'] },
  };
}

/** The bytes of versions by hash, until they reach `maxBytes`; versions of one hash have the same bytes. */
async function readBytes(
  { searcher: { client } }: Snapshot,
  versions: readonly AbiVersionHit[],
  maxBytes: number,
): Promise<Map<string, Buffer>> {
  const wanted = [...new Map(versions.map((version) => [version.hash, version])).values()];
  const bytes = new Map<string, Buffer>();
  let total = 0;
  for (let start = 0; start < wanted.length && total < maxBytes; start += BODIES_AT_ONCE) {
    const docs = wanted.slice(start, start + BODIES_AT_ONCE).map(({ hit }) => ({ _index: hit.index, _id: hit.id }));
    const { docs: got } = await asked(client.mget<AbiDocument>({ docs, _source_includes: ['hash', 'abi'] }));
    for (const doc of got) {
      const source = '_source' in doc ? doc._source : undefined;
      // Its branch was undone and cleaned up since the query began.
      if (!source) throw new HistoryError('STORE_UNAVAILABLE', 'the branch of the query was undone while it was read');
      // Bytes beyond the limit are dropped: the batch size must not change the result.
      if (total >= maxBytes) break;
      const abi = Buffer.from(source.abi, 'base64');
      total += abi.length;
      bytes.set(source.hash, abi);
    }
  }
  return bytes;
}
