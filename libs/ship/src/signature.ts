import type { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/** The type tag of WebAuthn keys and signatures. */
export const WEB_AUTHN = 2;

/**
 * Skips a signature of any length: a WebAuthn signature contains data of the browser, limited only by the block size. Throws
 * `DECODE_FAILED` when it is of an unknown type.
 */
export function skipSignature(reader: ByteReader): void {
  const tag = reader.varuint32();
  if (tag > WEB_AUTHN) throw new HistoryError('DECODE_FAILED', `a signature of type ${tag}`);
  reader.skip(65);
  if (tag === WEB_AUTHN) {
    reader.lengthPrefixed();
    reader.lengthPrefixed();
  }
}
