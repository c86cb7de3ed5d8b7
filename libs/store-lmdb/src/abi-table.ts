import { createHash } from 'node:crypto';
import type { AbiChange } from '@antelope-history/records';
import type { AbiRequest, AbiVersion } from '@antelope-history/store';
import { abiKey } from './keys';
import { floorEntry, type Snapshot, type Tables } from './tables';
import type { WriteBatch } from './write-batch';

/** The ABI versions of all contracts. Equal ABIs are stored once, whatever contract, block or branch they are of. */

const HASH_BYTES = 16;
const NAME_BYTES = 8;

/** Puts a change into the batch; gives its key, by which a fork removes it. */
export function putAbi(tables: Tables, blockNum: number, change: AbiChange, batch: WriteBatch): Buffer {
  const key = abiKey(change.account, blockNum, change.sequence);
  const hash = createHash('sha256').update(change.abi).digest().subarray(0, HASH_BYTES);
  batch.put(tables.abis, key, hash);
  // An empty ABI has a hash and a body too: it is a version that takes the one before it out of force.
  batch.put(tables.abiBodies, hash, change.abi);
  return key;
}

/** Which versions' bytes are wanted: those that are not known, until they reach `maxBytes`. */
interface WantedBytes {
  isKnown: (id: string) => boolean;
  maxBytes: number;
}

/** The ABIs in force just before actions: of each contract the latest change with a lower sequence. */
export function findAbis(
  tables: Tables,
  requests: readonly AbiRequest[],
  { isKnown, maxBytes }: WantedBytes,
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
