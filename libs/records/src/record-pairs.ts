import type { ByteReader } from '@antelope-history/abi';

/** The second field of a pair: a name or a 64-bit integer. */
const PAIR_FIELD_BYTES = 8;

/** Reads an array of pairs of a name and a 64-bit field; `make` receives the name and the offset of the second field. */
export function readPairs<T>(reader: ByteReader, make: (first: string, secondAt: number) => T): T[] {
  const count = reader.varuint32();
  const pairs: T[] = [];
  for (let index = 0; index < count; index++) {
    const first = reader.name();
    const secondAt = reader.offset;
    reader.skip(PAIR_FIELD_BYTES);
    pairs.push(make(first, secondAt));
  }
  return pairs;
}

/** Skips what `readPairs` reads. */
export function skipPairs(reader: ByteReader): void {
  reader.skip(2 * PAIR_FIELD_BYTES * reader.varuint32());
}
