import { createHash } from 'node:crypto';

/** The SHA-256 of the bytes of an ABI in hex; ABIs with the same hash are the same. */
export function abiHash(abi: Buffer): string {
  return createHash('sha256').update(abi).digest('hex');
}
