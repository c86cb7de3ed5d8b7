import { createHash } from 'node:crypto';
import { damagedValue } from './damage';
import type { Snapshot, Table } from './tables';

/** Bytes of SHA-256 that name an ABI: equal ABIs are stored once, whatever contract, block or branch they belong to. */
const HASH_BYTES = 16;

/** The key of an ABI in the table `abiBodies`. */
export function abiHash(abi: Buffer): Buffer {
  return createHash('sha256').update(abi).digest().subarray(0, HASH_BYTES);
}

/** The ABI with a hash, from the table `abiBodies`; undefined when there is none. Throws `INTERNAL` when it is stored damaged. */
export function readAbi(bodies: Table, hash: Buffer, snapshot?: Snapshot): Buffer | undefined {
  const abi = bodies.get(hash, { transaction: snapshot });
  if (abi && !abiHash(abi).equals(hash)) throw damagedValue(`the ABI ${hash.toString('hex')}`);
  return abi;
}
