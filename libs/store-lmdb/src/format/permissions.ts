import { createHash } from 'node:crypto';
import { nameToSortableBytes, type ByteReader } from '@antelope-history/abi';
import { readVaruint, RecordWriter, type Authority } from '@antelope-history/records';
import { nameInKey } from './keys';

export const KEY_HASH_BYTES = 16;

/** The index key of a public key. WebAuthn keys can be longer than a table's keys may be, so a hash stands for each key. */
export function keyHash(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_HASH_BYTES);
}

/** Layout: varuint count of keys, each length-prefixed; varuint count of actors, each 8 bytes in key order. */
export function encodeAuthority(authority: Authority): Buffer {
  const writer = new RecordWriter(64);
  writer.varuint(authority.keys.length);
  for (const key of authority.keys) writer.lengthPrefixed(key);
  writer.varuint(authority.actors.length);
  for (const actor of authority.actors) writer.copy(nameToSortableBytes(actor), 0, 8);
  return writer.view(0);
}

export function decodeAuthority(reader: ByteReader): Authority {
  const keys = Array.from({ length: readVaruint(reader) }, () => Buffer.from(reader.lengthPrefixed()));
  const actors = Array.from({ length: readVaruint(reader) }, () => nameInKey(reader.slice(8), 0));
  return { keys, actors };
}
