import { createHash } from 'node:crypto';
import type { AbiChange, AbiRequest } from '@antelope-history/records';
import type { AbiVersion } from '@antelope-history/store';
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

/** The ABI in force just before an action: the latest change with a lower sequence. */
export function findAbi(
  tables: Tables,
  request: AbiRequest,
  isKnown: (id: string) => boolean,
  snapshot: Snapshot,
): AbiVersion | undefined {
  const upTo = abiKey(request.account, request.blockNum, Math.max(0, request.sequence - 1));
  const hash = floorEntry(tables.abis, upTo, NAME_BYTES, snapshot)?.value;
  if (!hash) return undefined;
  const id = hash.toString('hex');
  if (isKnown(id)) return { id, bytes: undefined };
  const bytes = tables.abiBodies.get(hash, { transaction: snapshot });
  return bytes && bytes.length > 0 ? { id, bytes } : undefined;
}
