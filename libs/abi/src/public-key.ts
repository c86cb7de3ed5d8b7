import { HistoryError } from '@antelope-history/schemas';
import { decodeBase58Check, encodeBase58Check } from './base58';
import { ByteReader } from './byte-reader';

/**
 * Public keys. The canonical bytes of a key are the chain's own: a type tag (0 K1, 1 R1, 2 WA) and the packed key. The
 * packed key has 33 bytes for K1 and R1; for WA it has 33 bytes, the user presence byte and the relying party's id
 * (nodeos libraries/libfc/src/crypto/public_key.cpp, elliptic_webauthn.hpp). Both text forms of a key have the same
 * canonical bytes.
 */

export const KEY_TYPES = ['K1', 'R1', 'WA'] as const;
const WEB_AUTHN = 2;
const POINT_BYTES = 33;
const PRESENCE_BYTES = 1;
const LEGACY_PREFIX = 'EOS';
/** Exceeds the length of every key whose relying party id is a domain name (at most 255 characters). */
const MAX_TEXT_LENGTH = 512;
/** The time of base58 encoding grows with the square of the length. */
const MAX_KEY_BYTES = 1024;

/**
 * Returns the canonical bytes of a key written as `EOS…`, `PUB_K1_…`, `PUB_R1_…` or `PUB_WA_…`.
 *
 * Throws `INVALID_PUBLIC_KEY` with the invalid part: the prefix, the base58 text, the length or the checksum.
 */
export function parsePublicKey(text: string): Buffer {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TEXT_LENGTH) throw invalidKey(`it is longer than ${MAX_TEXT_LENGTH} characters`);
  if (trimmed.startsWith(LEGACY_PREFIX) && !trimmed.includes('_')) {
    return canonicalKey(0, trimmed.slice(LEGACY_PREFIX.length), '');
  }
  const match = /^PUB_(K1|R1|WA)_(.*)$/.exec(trimmed);
  if (match === null) throw invalidKey('it must begin with EOS, PUB_K1_, PUB_R1_ or PUB_WA_');
  const [, type = '', encoded = ''] = match;
  return canonicalKey(
    KEY_TYPES.findIndex((known) => known === type),
    encoded,
    type,
  );
}

function canonicalKey(tag: number, encoded: string, checksumSuffix: string): Buffer {
  const data = decodeBase58Check(encoded, checksumSuffix);
  if (data === 'base58') throw invalidKey('what follows the prefix is not base58');
  if (data === 'length') throw invalidKey('it is too short');
  if (data === 'checksum') throw invalidKey('its checksum does not match, so a character is wrong or missing');
  const canonical = Buffer.concat([Buffer.of(tag), data]);
  if (!isWholeKey(canonical)) throw invalidKey(`${data.length} bytes are not the length of such a key`);
  return canonical;
}

function isWholeKey(canonical: Buffer): boolean {
  try {
    return readPublicKey(new ByteReader(canonical)).length === canonical.length;
  } catch {
    return false;
  }
}

function invalidKey(reason: string): HistoryError {
  return new HistoryError('INVALID_PUBLIC_KEY', `this is not a public key: ${reason}`);
}

/**
 * Reads a packed key and returns its canonical bytes, as a view if they are those of the packed key. Throws `DECODE_FAILED` on
 * bytes that are not a key.
 */
export function readPublicKey(reader: ByteReader): Buffer {
  const start = reader.offset;
  const tag = readKeyType(reader, 'public key');
  const point = reader.slice(tag === WEB_AUTHN ? POINT_BYTES + PRESENCE_BYTES : POINT_BYTES);
  const lists = tag === WEB_AUTHN ? [readRelyingParty(reader)] : [];
  return canonicalBytes(reader, start, tag, point, lists);
}

function readRelyingParty(reader: ByteReader): Buffer {
  const relyingParty = reader.lengthPrefixed();
  if (relyingParty.length === 0 || relyingParty.length > MAX_KEY_BYTES) {
    throw new HistoryError('DECODE_FAILED', `a WA public key with a relying party of ${relyingParty.length} bytes`);
  }
  return relyingParty;
}

/** Reads the type tag of a key or signature, a varuint32. */
export function readKeyType(reader: ByteReader, of: string): number {
  const tag = reader.varuint32();
  if (tag >= KEY_TYPES.length) throw new HistoryError('DECODE_FAILED', `unknown ${of} type ${tag}`);
  return tag;
}

/**
 * The bytes of a key or signature that was read from `start` on, as the node packs it again: its tag and lengths may take more
 * bytes than they need in data that a contract wrote.
 */
export function canonicalBytes(
  reader: ByteReader,
  start: number,
  tag: number,
  fixed: Buffer,
  lists: readonly Buffer[],
): Buffer {
  const lengths = lists.map(({ length }) => packVaruint32(length));
  const bytes = lists.reduce((sum, list, i) => sum + lengths[i]!.length + list.length, 1 + fixed.length);
  if (bytes === reader.offset - start) return reader.bytes.subarray(start, reader.offset);
  return Buffer.concat([Buffer.of(tag), fixed, ...lists.flatMap((list, i) => [lengths[i]!, list])]);
}

function packVaruint32(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** The text form that the node prints: `EOS…` for K1, `PUB_R1_…`, `PUB_WA_…`. */
export function publicKeyToString(canonical: Buffer): string {
  if (canonical[0] === 0) return LEGACY_PREFIX + encodeBase58Check(canonical.subarray(1), '');
  return publicKeyToPubString(canonical);
}

/** The newer text form of all types: `PUB_K1_…`, `PUB_R1_…`, `PUB_WA_…`. */
export function publicKeyToPubString(canonical: Buffer): string {
  const type = KEY_TYPES[canonical[0] ?? -1];
  if (type === undefined) throw new HistoryError('DECODE_FAILED', `unknown public key type ${canonical[0]}`);
  return `PUB_${type}_${encodeBase58Check(canonical.subarray(1), type)}`;
}
