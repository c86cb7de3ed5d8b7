/** The chain's packing (fc::raw), implemented separately from the code under test. */

/** `varuint32`: seven bits per byte, the lowest first. */
export function packVaruint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

export function packBytes(bytes: Buffer): Buffer {
  return Buffer.concat([packVaruint(bytes.length), bytes]);
}

export function packText(text: string): Buffer {
  return packBytes(Buffer.from(text));
}

export function packList<T>(entries: readonly T[], pack: (entry: T) => Buffer): Buffer {
  return Buffer.concat([packVaruint(entries.length), ...entries.map(pack)]);
}

/** A name of at most twelve valid characters. */
export function packName(text: string): Buffer {
  const symbols = Array.from({ length: 12 }, (_, at) => '.12345abcdefghijklmnopqrstuvwxyz'.indexOf(text[at] ?? '.'));
  const packed = Buffer.alloc(8);
  packed.writeBigUInt64LE(symbols.reduce((value, symbol) => (value << 5n) | BigInt(symbol), 0n) << 4n);
  return packed;
}

/** A little-endian integer of `size` bytes; negative numbers in two's complement. */
export function packInteger(value: bigint, size: number): Buffer {
  let rest = BigInt.asUintN(size * 8, value);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++, rest >>= 8n) bytes[at] = Number(rest & 0xffn);
  return bytes;
}
