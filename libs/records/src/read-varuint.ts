import type { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/** Reads a whole number that `RecordWriter.varuint` wrote. Throws `DECODE_FAILED` on a number above 2^53 - 1. */
export function readVaruint(reader: ByteReader): number {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
    const byte = reader.uint8();
    value += (byte & 0x7f) * scale;
    if (value > Number.MAX_SAFE_INTEGER) break;
    if (byte < 0x80) return value;
  }
  throw new HistoryError('DECODE_FAILED', 'a number is larger than 2^53 - 1');
}
