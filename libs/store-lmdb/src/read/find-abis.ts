import type { AbiBytesWanted, AbiRequest, AbiVersion } from '@antelope-history/store';
import { abiKey, NAME_BYTES } from '../format/keys';
import { floorEntry, type Snapshot, type Tables } from '../format/tables';

/** Finds the ABI in force before each requested action: the contract's latest change with a lower sequence. */
export function findAbis(
  tables: Tables,
  requests: readonly AbiRequest[],
  { isKnown, maxBytes }: AbiBytesWanted,
  snapshot: Snapshot,
): (AbiVersion | undefined)[] {
  const bodies = new Map<string, Buffer>();
  let total = 0;
  return requests.map((request) => {
    const hash = hashAt(tables, request, snapshot);
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

function hashAt(tables: Tables, request: AbiRequest, snapshot: Snapshot): Buffer | undefined {
  const upTo = abiKey(request.account, request.blockNum, Math.max(0, request.sequence - 1));
  return floorEntry(tables.abis, upTo, NAME_BYTES, snapshot)?.value;
}
