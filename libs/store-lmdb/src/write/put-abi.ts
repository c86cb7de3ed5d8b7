import type { AbiChange } from '@antelope-history/records';
import { abiHash } from '../format/abi-hash';
import { abiKey } from '../format/keys';
import type { Tables } from '../format/tables';
import type { WriteBatch } from './write-batch';

/** Puts a change into the batch; returns its key, by which undoing a fork removes it. */
export function putAbi(tables: Tables, blockNum: number, change: AbiChange, batch: WriteBatch): Buffer {
  const key = abiKey(change.account, blockNum, change.sequence);
  const hash = abiHash(change.abi);
  batch.put(tables.abis, key, hash);
  // An empty ABI is stored too: it is the version that ends the one before it.
  batch.put(tables.abiBodies, hash, change.abi);
  return key;
}
