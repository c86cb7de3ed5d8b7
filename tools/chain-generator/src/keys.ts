import { Numeric } from 'eosjs';
import { sha256 } from './digests';

/** Public keys and signatures of which only the form matters: nothing here is ever verified. */

const POINT_BYTES = 33;

/** A K1 key in the form `PUB_K1_…`, the same for equal indices. */
export function k1Key(index: number): string {
  const data = Buffer.concat([Buffer.from([2 + (index % 2)]), sha256(Buffer.from(`key ${index}`))]);
  return Numeric.publicKeyToString({ type: Numeric.KeyType.k1, data: data.subarray(0, POINT_BYTES) });
}

export function r1Key(index: number): string {
  const data = Buffer.concat([Buffer.from([2]), sha256(Buffer.from(`r1 key ${index}`))]);
  return Numeric.publicKeyToString({ type: Numeric.KeyType.r1, data: data.subarray(0, POINT_BYTES) });
}

/** The form in which nodes print a key: `EOS…` for K1. */
export function printedKey(key: string): string {
  return key.startsWith('PUB_K1_') ? legacyKey(key) : key;
}

const legacyKeys = new Map<string, string>();

/** `EOS…`, the older form of a K1 key. */
export function legacyKey(key: string): string {
  let text = legacyKeys.get(key);
  if (text === undefined) {
    legacyKeys.set(key, (text = Numeric.publicKeyToLegacyString(Numeric.stringToPublicKey(key))));
  }
  return text;
}

const SIGNATURES = 16;
const signatures = new Map<number, string>();

/** A K1 signature, one of a few, because eosjs takes milliseconds to print one. */
export function signatureOf(number: number): string {
  const index = number % SIGNATURES;
  let text = signatures.get(index);
  if (text === undefined) {
    const half = sha256(Buffer.from(`signature ${index}`));
    const data = Buffer.concat([Buffer.from([31]), half, sha256(half)]);
    signatures.set(index, (text = Numeric.signatureToString({ type: Numeric.KeyType.k1, data })));
  }
  return text;
}
