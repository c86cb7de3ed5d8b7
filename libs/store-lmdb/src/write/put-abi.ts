import { createHash } from 'node:crypto';
import type { AbiChange } from '@antelope-history/records';
import { abiKey } from '../format/keys';
import type { Tables } from '../format/tables';
import type { WriteBatch } from './write-batch';

/** Bytes of SHA-256 that name an ABI: equal ABIs are stored once, whatever contract, block or branch they belong to. */
const HASH_BYTES = 16;

/** Puts a change into the batch; returns its key, by which undoing a fork removes it. */
export function putAbi(tables: Tables, blockNum: number, change: AbiChange, batch: WriteBatch): Buffer {
  const key = abiKey(change.account, blockNum, change.sequence);
  const hash = createHash('sha256').update(change.abi).digest().subarray(0, HASH_BYTES);
  batch.put(tables.abis, key, hash);
  // An empty ABI is stored too: it is the version that ends the one before it.
  batch.put(tables.abiBodies, hash, change.abi);
  return key;
}
