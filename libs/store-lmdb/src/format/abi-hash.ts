import { createHash } from 'node:crypto';

/** Bytes of SHA-256 that name an ABI: equal ABIs are stored once, whatever contract, block or branch they belong to. */
const HASH_BYTES = 16;

/** The key of an ABI in the table `abiBodies`. */
export function abiHash(abi: Buffer): Buffer {
  return createHash('sha256').update(abi).digest().subarray(0, HASH_BYTES);
}
