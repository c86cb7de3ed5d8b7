import type { AbiBytesWanted, AbiRequest, AbiVersion } from '@antelope-history/store';
import { HistoryError } from '@antelope-history/schemas';
import type { FoundHit, Query, Search } from '../client/search';
import { asked } from '../client/store-errors';
import type { AbiDocument } from '../indices/documents';
import { onBranch, stateBlocks, within } from './branch-filter';
import { wholeState, type Snapshot } from './snapshot';

/** A version of a contract's ABI, without its bytes. */
interface PlacedAbi {
  account: string;
  blockNum: number;
  sequence: number;
  hash: string;
  hit: FoundHit;
}

/** The last place at which a change counts for a request. */
interface Place {
  account: string;
  blockNum: number;
  sequence: number;
}

/** Contracts seldom have more than a few versions: the newest of all that a page needs come in one search. */
const NEWEST_VERSIONS = 1_000;
/** An ABI may have half a megabyte. */
const BODIES_AT_ONCE = 8;
/** SHA-256 of no bytes: the version that takes the one before it out of force. */
const NO_ABI = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The ABI in force just before each action: the latest change with a lower place. */
export async function findAbis(
  snapshot: Snapshot,
  requests: readonly AbiRequest[],
  { isKnown, maxBytes }: AbiBytesWanted,
): Promise<(AbiVersion | undefined)[]> {
  const places = requests.map(placeOf);
  const versions = await versionsAt(snapshot, places);
  const found = places.map((place) => versions.get(keyOf(place)));
  const bytes = await readBytes(
    snapshot,
    found.flatMap((version) => (version && !isKnown(version.hash) ? [version] : [])),
    maxBytes,
  );
  return found.map((version) => version && { id: version.hash, bytes: bytes.get(version.hash) });
}

/** Changes before the block's first action have sequence 0 and count for all of its actions. */
function placeOf({ account, blockNum, sequence }: AbiRequest): Place {
  return { account, blockNum, sequence: Math.max(0, sequence - 1) };
}

function keyOf({ account, blockNum, sequence }: Place): string {
  return `${account} ${blockNum} ${sequence}`;
}

/** The version in force at each place, by the place's key; nothing where there is none, or an empty one. */
async function versionsAt(snapshot: Snapshot, places: readonly Place[]): Promise<Map<string, PlacedAbi>> {
  const { searcher } = snapshot;
  const open = new Map(places.map((place) => [keyOf(place), place]));
  const found = new Map<string, PlacedAbi>();
  if (open.size === 0) return found;
  const { hits } = await searcher.search(newestSearch(snapshot, [...open.values()]));
  const newest = versionsByAccount(hits);
  for (const [key, place] of open) {
    const version = newest.get(place.account)?.find((each) => !isAfter(each, place));
    if (version) found.set(key, version);
    if (version || hits.length < NEWEST_VERSIONS) open.delete(key);
  }
  const older = await searcher.searchAll([...open.values()].map((place) => latestSearch(snapshot, place)));
  for (const [index, key] of [...open.keys()].entries()) {
    const hit = older[index]?.hits[0];
    if (hit) found.set(key, placedAbiOf(hit));
  }
  for (const [key, { hash }] of found) if (hash === NO_ABI) found.delete(key);
  return found;
}

function isAfter(version: PlacedAbi, place: Place): boolean {
  return version.blockNum === place.blockNum ? version.sequence > place.sequence : version.blockNum > place.blockNum;
}

function versionsByAccount(hits: readonly FoundHit[]): Map<string, PlacedAbi[]> {
  const versions = new Map<string, PlacedAbi[]>();
  for (const version of hits.map(placedAbiOf)) {
    const ofAccount = versions.get(version.account);
    if (ofAccount) ofAccount.push(version);
    else versions.set(version.account, [version]);
  }
  return versions;
}

function placedAbiOf(hit: FoundHit): PlacedAbi {
  const value = (field: keyof AbiDocument): unknown => hit.fields?.[field]?.[0];
  return {
    account: value('account') as string,
    blockNum: value('block_num') as number,
    sequence: value('sequence') as number,
    hash: value('hash') as string,
    hit,
  };
}

/** The newest versions of all the accounts, up to the newest place. */
function newestSearch(snapshot: Snapshot, places: readonly Place[]): Search {
  const accounts = [...new Set(places.map(({ account }) => account))];
  const last = places.reduce((newest, { blockNum }) => Math.max(newest, blockNum), 0);
  return versionSearch(snapshot, [{ terms: { account: accounts } }], last, NEWEST_VERSIONS);
}

/** The one version in force at a place. */
function latestSearch(snapshot: Snapshot, { account, blockNum, sequence }: Place): Search {
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

/** The bytes of versions, by their hash, until they reach `maxBytes`; versions of the same hash have the same. */
async function readBytes(
  { searcher: { client } }: Snapshot,
  versions: readonly PlacedAbi[],
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
      // It was of a branch that was undone, and cleaned up, since the query began.
      if (!source) throw new HistoryError('STORE_UNAVAILABLE', 'the branch that was read is no longer there');
      // What was read beyond the limit is not given: how many are read at once is no part of the result.
      if (total >= maxBytes) break;
      const abi = Buffer.from(source.abi, 'base64');
      total += abi.length;
      bytes.set(source.hash, abi);
    }
  }
  return bytes;
}
