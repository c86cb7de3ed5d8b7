import { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import fc from 'fast-check';
import { readVaruint } from './read-varuint';
import { RecordWriter } from './record-writer';

const wholeNumbers = fc.oneof(
  fc.maxSafeNat(),
  fc.nat({ max: 300 }),
  fc.integer({ min: 0, max: 53 }).map((bits) => 2 ** bits - 1),
  fc.integer({ min: 0, max: 52 }).map((bits) => 2 ** bits),
);

describe('RecordWriter', () => {
  it('writes whole numbers up to 2^53 - 1 that readVaruint reads, seven bits per byte', () => {
    fc.assert(
      fc.property(fc.array(wholeNumbers), (numbers) => {
        const writer = new RecordWriter(0);
        for (const number of numbers) writer.varuint(number);
        const reader = new ByteReader(writer.view(0));
        for (const number of numbers) {
          const before = reader.offset;
          expect(readVaruint(reader)).toBe(number);
          expect(reader.offset - before).toBe(Math.max(1, Math.ceil(BigInt(number).toString(2).length / 7)));
        }
        expect(reader.remaining()).toBe(0);
      }),
      { examples: [[[Number.MAX_SAFE_INTEGER]]] },
    );
  });

  it('copies any bytes, and keeps its views valid when it grows', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300, size: 'max' }), { maxLength: 30, size: 'max' }), (parts) => {
        const writer = new RecordWriter(1);
        const views = parts.map((part) => {
          const start = writer.offset;
          writer.lengthPrefixed(Buffer.from(part));
          writer.uint32(part.length);
          return writer.view(start);
        });
        parts.forEach((part, index) => {
          const reader = new ByteReader(views[index]!);
          expect([...reader.slice(readVaruint(reader))]).toEqual([...part]);
          expect(reader.uint32()).toBe(part.length);
          expect(reader.remaining()).toBe(0);
        });
      }),
    );
  });
});

describe('readVaruint', () => {
  it.each([
    ['a number above 2^53 - 1', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10]],
    ['a number of nine bytes', [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]],
    ['a truncated number', [0x80, 0x80]],
  ])('refuses %s', (_what, bytes) => {
    expect(() => readVaruint(new ByteReader(Buffer.from(bytes)))).toThrow(HistoryError);
  });
});
