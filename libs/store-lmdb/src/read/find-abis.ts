import type { AbiBytesWanted, AbiRequest, AbiVersion } from '@antelope-history/store';
import { MAX_BLOCK_NUM } from '@antelope-history/schemas';
import { abiKey, MAX_SEQUENCE, NAME_BYTES } from '../format/keys';
import { floorEntry, type Snapshot, type Table, type Tables } from '../format/tables';

/** Finds the ABI in force before each requested action: the contract's latest change with a lower sequence. */
export function findAbis(
  tables: Tables,
  requests: readonly AbiRequest[],
  { isKnown, maxBytes }: AbiBytesWanted,
  snapshot: Snapshot,
): (AbiVersion | undefined)[] {
  const bodies = new Map<string, Buffer>();
  const versions = new VersionFinder(tables.abis, snapshot);
  let total = 0;
  return requests.map((request) => {
    const hash = versions.hashAt(request);
    if (!hash) return undefined;
    const id = hash.toString('hex');
    const read = bodies.get(id);
    if (read) return { id, bytes: read };
    if (total >= maxBytes || isKnown(id)) return { id, bytes: undefined };
    const bytes = tables.abiBodies.get(hash, { transaction: snapshot });
    if (!bytes || bytes.length === 0) return undefined;
    total += bytes.length;
    bodies.set(id, bytes);
    return { id, bytes };
  });
}

/** The positions of one contract at which one version is in force: from its own key to below that of the next change. */
interface VersionRange {
  /** Undefined: from the beginning of the chain, without an ABI. */
  from: Buffer | undefined;
  /** Undefined: to the end of the chain. */
  end: Buffer | undefined;
  hash: Buffer | undefined;
}

/** Remembers the last version of each contract: a block asks hundreds of times for the few that are in force in it. */
class VersionFinder {
  private readonly ranges = new Map<string, VersionRange>();

  constructor(
    private readonly table: Table,
    private readonly snapshot: Snapshot,
  ) {}

  /** The hash of the version that is in force before the request's action. */
  hashAt({ account, blockNum, sequence }: AbiRequest): Buffer | undefined {
    const at = abiKey(account, blockNum, Math.max(0, sequence - 1));
    let range = this.ranges.get(account);
    if (!range || !holds(range, at)) this.ranges.set(account, (range = this.rangeAt(account, at)));
    return range.hash;
  }

  private rangeAt(account: string, at: Buffer): VersionRange {
    const entry = floorEntry(this.table, at, NAME_BYTES, this.snapshot);
    const last = abiKey(account, MAX_BLOCK_NUM, MAX_SEQUENCE);
    const [end] = this.table.getKeys({
      start: at,
      exclusiveStart: true,
      end: last,
      limit: 1,
      transaction: this.snapshot,
    });
    return {
      from: entry && Buffer.from(entry.key),
      end: end && Buffer.from(end),
      hash: entry && Buffer.from(entry.value),
    };
  }
}

function holds({ from, end }: VersionRange, at: Buffer): boolean {
  return (from === undefined || from.compare(at) <= 0) && (end === undefined || at.compare(end) < 0);
}
