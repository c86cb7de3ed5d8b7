import { LRUCache } from 'lru-cache';
import type { ProgressDocument } from '../indices/documents';
import { abisChangedUpTo } from '../indices/progress';

/** A version of a contract's ABI, without its bytes. */
export interface AbiVersionHit {
  account: string;
  blockNum: number;
  sequence: number;
  hash: string;
  /** Where the bytes are. */
  index: string;
  id: string;
}

/** The last block and sequence at which a change of an ABI counts for a request. */
export interface AbiLimit {
  account: string;
  blockNum: number;
  sequence: number;
}

/** All versions that a contract had on one branch up to a block, the newest first. */
interface KnownVersions {
  versions: readonly AbiVersionHit[];
  asOf: number;
  revision: number;
  rewrites: number;
}

/** The cache keeps at most this many versions and accounts together. A version takes about 300 bytes. */
const MAX_KEPT = 50_000;

/**
 * Caches which ABI versions contracts have. An entry is valid until a branch is undone or a block is repaired. New blocks change
 * it only if they set an ABI, and the progress has the newest block that did.
 */
export class AbiVersionCache {
  private readonly known = new LRUCache<string, KnownVersions>({
    maxSize: MAX_KEPT,
    sizeCalculation: ({ versions }) => 1 + versions.length,
  });

  /** The version in force at a limit; `version` is undefined if there is none. Returns undefined if the cache does not know. */
  find(limit: AbiLimit, progress: ProgressDocument): { version: AbiVersionHit | undefined } | undefined {
    const known = this.known.get(limit.account);
    if (!known || known.revision !== progress.revision || known.rewrites !== (progress.rewrites ?? 0)) return undefined;
    if (limit.blockNum > known.asOf && abisChangedUpTo(progress) > known.asOf) return undefined;
    return { version: versionAt(known.versions, limit, progress) };
  }

  /**
   * Keeps all versions that accounts have up to the committed block, unless a repair rewrites blocks; accounts without an entry have none.
   */
  keep(
    accounts: Iterable<string>,
    versions: ReadonlyMap<string, readonly AbiVersionHit[]>,
    { revision, rewrites = 0, rewriting, committed }: ProgressDocument,
  ): void {
    if (rewriting) return;
    const asOf = committed?.num ?? 0;
    for (const account of accounts) {
      this.known.set(account, { versions: versions.get(account) ?? [], asOf, revision, rewrites });
    }
  }
}

/**
 * The newest version that is neither after the limit nor above the committed block. `versions`: those of one account, newest
 * first.
 */
export function versionAt(
  versions: readonly AbiVersionHit[],
  limit: AbiLimit,
  { committed }: ProgressDocument,
): AbiVersionHit | undefined {
  const last = committed?.num ?? 0;
  return versions.find((version) => version.blockNum <= last && !isAfter(version, limit));
}

function isAfter(version: AbiVersionHit, limit: AbiLimit): boolean {
  return version.blockNum === limit.blockNum ? version.sequence > limit.sequence : version.blockNum > limit.blockNum;
}
