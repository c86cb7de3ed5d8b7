import type { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/** Reads a packed array: a varuint32 count and its elements. Throws `DECODE_FAILED` when they can't be there. */
export function readArray<T>(reader: ByteReader, readElement: (reader: ByteReader) => T): T[] {
  const count = reader.varuint32();
  if (count > reader.remaining()) {
    throw new HistoryError('DECODE_FAILED', `${count} elements in ${reader.remaining()} bytes`);
  }
  return Array.from({ length: count }, () => readElement(reader));
}

/** Reads a packed optional: a flag and, when it is set, the value. */
export function readOptional<T>(reader: ByteReader, readValue: (reader: ByteReader) => T): T | undefined {
  return reader.uint8() === 0 ? undefined : readValue(reader);
}
