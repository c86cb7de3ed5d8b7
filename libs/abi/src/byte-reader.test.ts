import { hasErrorCode } from '@antelope-history/schemas';
import fc from 'fast-check';
import { ByteReader } from './byte-reader';

const reader = (hex: string): ByteReader => new ByteReader(Buffer.from(hex, 'hex'));

function failure(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (hasErrorCode(error, 'DECODE_FAILED')) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('ByteReader', () => {
  it('reads little-endian integers', () => {
    const bytes = reader('ff' + 'feff' + 'fdffffff' + 'ff' + 'feff' + 'fdffffff');
    expect([bytes.uint8(), bytes.uint16(), bytes.uint32()]).toEqual([255, 65534, 4294967293]);
    expect([bytes.int8(), bytes.int16(), bytes.int32()]).toEqual([-1, -2, -3]);
    expect(bytes.remaining()).toBe(0);
  });

  it('reads 64-bit integers as bigint, or as numbers where they are exact', () => {
    expect(reader('ffffffffffffffff').uint64()).toBe(18446744073709551615n);
    expect(reader('ffffffffffffffff').int64()).toBe(-1n);
    expect(reader('ffffffffffff1f00').uint64Number()).toBe(Number.MAX_SAFE_INTEGER);
    const beyond = reader('0000000000002000');
    expect(failure(() => beyond.uint64Number())).toContain('beyond 2^53-1');
    expect(beyond.offset).toBe(0);
  });

  it.each([
    ['00', 0],
    ['7f', 127],
    ['8001', 128],
    ['ffffffff0f', 4294967295],
    ['8000', 0],
  ])('reads the varuint32 %s as %d', (hex, value) => expect(reader(hex).varuint32()).toBe(value));

  it.each([
    ['80', 'truncated'],
    ['', 'truncated'],
  ])('refuses the varuint32 %s', (hex, reason) => {
    const bytes = reader(hex);
    expect(failure(() => bytes.varuint32())).toContain(reason);
    expect(bytes.offset).toBe(0);
  });

  it.each([
    ['00', 0],
    ['01', -1],
    ['02', 1],
    ['feffffff0f', 2147483647],
    ['ffffffff0f', -2147483648],
    ['808080808000', 0],
    ['80808080808080808080808080808000', 0],
    ['828080808001', 5],
  ])('reads the varint32 %s as %d, to its end', (hex, value) => {
    const bytes = reader(hex);
    expect([bytes.varint32(), bytes.remaining()]).toEqual([value, 0]);
  });

  it.each(['', '80', 'ffffffffffff'])('refuses the varint32 %s', (hex) => {
    const bytes = reader(hex);
    expect(failure(() => bytes.varint32())).toContain('truncated');
    expect(bytes.offset).toBe(0);
  });

  it('returns slices as views of the same memory', () => {
    const bytes = Buffer.from('03616263', 'hex');
    const slice = new ByteReader(bytes).lengthPrefixed();
    bytes[1] = 0x7a;
    expect(slice.toString()).toBe('zbc');
  });

  it('reports the type and offset of a failed read, and does not advance', () => {
    const bytes = reader('0102');
    bytes.skip(1);
    expect(failure(() => bytes.uint32())).toBe('cannot read a 32-bit integer at byte 1: 1 bytes left');
    expect(failure(() => bytes.skip(-1))).toContain('cannot read');
    expect(bytes.offset).toBe(1);
    const short = reader('05aa');
    expect(failure(() => short.lengthPrefixed())).toContain('5 length-prefixed bytes');
    expect(short.offset).toBe(0);
  });

  it('does not read outside its range', () => {
    const bytes = new ByteReader(Buffer.from('0102030405', 'hex'), 1, 3);
    expect(bytes.uint16()).toBe(0x0302);
    expect(failure(() => bytes.uint8())).toContain('0 bytes left');
    expect(failure(() => new ByteReader(Buffer.alloc(2), 0, 3))).toContain('does not fit');
    expect(failure(() => new ByteReader(Buffer.alloc(2), -1))).toContain('does not fit');
  });

  it('reads every integer as Buffer does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (array) => {
        const bytes = Buffer.from(array);
        expect(new ByteReader(bytes).uint16()).toBe(bytes.readUInt16LE());
        expect(new ByteReader(bytes).int16()).toBe(bytes.readInt16LE());
        expect(new ByteReader(bytes).uint32()).toBe(bytes.readUInt32LE());
        expect(new ByteReader(bytes).int32()).toBe(bytes.readInt32LE());
        expect(new ByteReader(bytes).int8()).toBe(bytes.readInt8());
      }),
    );
  });
});
