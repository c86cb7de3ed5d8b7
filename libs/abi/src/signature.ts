import { HistoryError } from '@antelope-history/schemas';
import { encodeBase58Check } from './base58';
import type { ByteReader } from './byte-reader';
import { canonicalBytes, KEY_TYPES, readKeyType } from './public-key';

const COMPACT_BYTES = 65;
const WEB_AUTHN = 2;
/** The time of base58 encoding grows with the square of the length. WebAuthn signatures have several hundred bytes. */
const MAX_SIGNATURE_BYTES = 4096;

/**
 * Reads a packed signature and returns it in canonical form, as a view if it has that form: a type tag, 65 bytes and, for WA, the
 * authenticator data and the client's JSON (nodeos libraries/libfc/include/fc/crypto/elliptic_webauthn.hpp). Throws
 * `DECODE_FAILED` on bytes that are not a signature and on a signature of more than 4096 bytes.
 */
export function readSignature(reader: ByteReader): Buffer {
  const start = reader.offset;
  const tag = readKeyType(reader, 'signature');
  const compact = reader.slice(COMPACT_BYTES);
  const lists = tag === WEB_AUTHN ? [reader.lengthPrefixed(), reader.lengthPrefixed()] : [];
  const length = reader.offset - start;
  if (length > MAX_SIGNATURE_BYTES) throw new HistoryError('DECODE_FAILED', `a signature of ${length} bytes`);
  return canonicalBytes(reader, start, tag, compact, lists);
}

/** The text of a packed signature: `SIG_K1_…`, `SIG_R1_…` or `SIG_WA_…`. `bytes` has the form of `readSignature`. */
export function signatureToString(bytes: Buffer): string {
  const type = KEY_TYPES[bytes[0] ?? -1];
  if (type === undefined) throw new HistoryError('DECODE_FAILED', `unknown signature type ${bytes[0]}`);
  return `SIG_${type}_${encodeBase58Check(bytes.subarray(1), type)}`;
}
