import { createHash } from 'node:crypto';
import type { AbiDocument } from './documents';

/** The SHA-256 of the bytes of an ABI in hex; ABIs with the same hash are the same. */
export function abiHash(abi: Buffer): string {
  return createHash('sha256').update(abi).digest('hex');
}

/** The ABI of a document; undefined when its bytes are not those that were stored. */
export function undamagedAbi({ abi: text, hash }: Pick<AbiDocument, 'abi' | 'hash'>): Buffer | undefined {
  const abi = Buffer.from(text, 'base64');
  return abiHash(abi) === hash ? abi : undefined;
}
