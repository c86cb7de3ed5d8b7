import type { AbiBytesWanted, AbiRequest, AbiVersion } from '@antelope-history/store';
import { MAX_BLOCK_NUM } from '@antelope-history/schemas';
import { readAbi } from '../format/abi-hash';
import { abiKey, MAX_SEQUENCE, NAME_BYTES, positionInAbiKey } from '../format/keys';
import { floorEntry, type Snapshot, type Table, type Tables } from '../format/tables';

/** Finds the ABI in force before each requested action: the contract's latest change with a lower sequence. */
export function findAbis(
  tables: Tables,
  requests: readonly AbiRequest[],
  wanted: AbiBytesWanted,
  snapshot: Snapshot,
): (AbiVersion | undefined)[] {
  const bodies = new BodyReader(tables.abiBodies, wanted, snapshot);
  const versions = new VersionFinder(tables.abis, bodies, snapshot);
  return requests.map((request) => versions.at(request));
}

/** Reads each ABI once, while the bytes stay within the wanted limit. */
class BodyReader {
  private readonly versions = new Map<string, AbiVersion | undefined>();
  private total = 0;

  constructor(
    private readonly table: Table,
    private readonly wanted: AbiBytesWanted,
    private readonly snapshot: Snapshot,
  ) {}

  versionOf(hash: Buffer): AbiVersion | undefined {
    const id = hash.toString('hex');
    if (!this.versions.has(id)) this.versions.set(id, this.read(id, hash));
    return this.versions.get(id);
  }

  private read(id: string, hash: Buffer): AbiVersion | undefined {
    const { isKnown, maxBytes } = this.wanted;
    if (this.total >= maxBytes || isKnown(id)) return { id, bytes: undefined };
    const bytes = readAbi(this.table, hash, this.snapshot);
    if (!bytes || bytes.length === 0) return undefined;
    this.total += bytes.length;
    return { id, bytes };
  }
}

/** A position in the chain. Keys of one contract sort by their positions. */
interface Position {
  blockNum: number;
  sequence: number;
}

/** The positions of one contract at which one version is in force: from its own change to before the next one. */
interface VersionRange {
  /** Undefined: from the beginning of the chain, without an ABI. */
  from: Position | undefined;
  /** Undefined: to the end of the chain. */
  end: Position | undefined;
  version: AbiVersion | undefined;
}

/** Remembers the last version of each contract: a block asks hundreds of times for the few that are in force in it. */
class VersionFinder {
  private readonly ranges = new Map<string, VersionRange>();

  constructor(
    private readonly table: Table,
    private readonly bodies: BodyReader,
    private readonly snapshot: Snapshot,
  ) {}

  /** The version that is in force before the request's action. */
  at({ account, blockNum, sequence }: AbiRequest): AbiVersion | undefined {
    const before = { blockNum, sequence: Math.max(0, sequence - 1) };
    let range = this.ranges.get(account);
    if (!range || !holds(range, before)) this.ranges.set(account, (range = this.rangeAt(account, before)));
    return range.version;
  }

  private rangeAt(account: string, { blockNum, sequence }: Position): VersionRange {
    const at = abiKey(account, blockNum, sequence);
    const entry = floorEntry(this.table, at, NAME_BYTES, this.snapshot);
    // Before the next read, which may reuse the memory of the entry.
    const from = entry && positionInAbiKey(entry.key);
    const version = entry && this.bodies.versionOf(Buffer.from(entry.value));
    const last = abiKey(account, MAX_BLOCK_NUM, MAX_SEQUENCE);
    const [end] = this.table.getKeys({
      start: at,
      exclusiveStart: true,
      end: last,
      limit: 1,
      transaction: this.snapshot,
    });
    return { from, end: end && positionInAbiKey(end), version };
  }
}

function holds({ from, end }: VersionRange, at: Position): boolean {
  return (from === undefined || !isBefore(at, from)) && (end === undefined || isBefore(at, end));
}

function isBefore(left: Position, right: Position): boolean {
  return left.blockNum === right.blockNum ? left.sequence < right.sequence : left.blockNum < right.blockNum;
}
