import { HistoryError } from '@antelope-history/schemas';
import { encodeBase58Check } from './base58';
import type { ByteReader } from './byte-reader';
import { KEY_TYPES, readKeyType } from './public-key';

const COMPACT_BYTES = 65;
const WEB_AUTHN = 2;
/** Base58 takes time that grows with the square of the length; WebAuthn signatures have some hundred bytes. */
const MAX_SIGNATURE_BYTES = 4096;

/**
 * The packed signature at the reader as a view: a type tag, 65 bytes and, for WA, the authenticator data and the
 * client's JSON (nodeos libraries/libfc/include/fc/crypto/elliptic_webauthn.hpp). DECODE_FAILED when there is none or
 * when it is longer than 4096 bytes.
 */
export function readSignature(reader: ByteReader): Buffer {
  const start = reader.offset;
  const tag = readKeyType(reader, 'signature');
  reader.skip(COMPACT_BYTES);
  if (tag === WEB_AUTHN) {
    reader.lengthPrefixed();
    reader.lengthPrefixed();
  }
  const length = reader.offset - start;
  if (length > MAX_SIGNATURE_BYTES) throw new HistoryError('DECODE_FAILED', `a signature of ${length} bytes`);
  return reader.bytes.subarray(start, reader.offset);
}

/** `SIG_K1_…`, `SIG_R1_…` or `SIG_WA_…` of a tag and its signature, as `readSignature` gives them. */
export function signatureToString(bytes: Buffer): string {
  const type = KEY_TYPES[bytes[0] ?? -1];
  if (type === undefined) throw new HistoryError('DECODE_FAILED', `unknown signature type ${bytes[0]}`);
  return `SIG_${type}_${encodeBase58Check(bytes.subarray(1), type)}`;
}
