import fc from 'fast-check';
import { ExactInteger, type JsonValue, OrderedObject, stringifyJson } from './json-value';
import { JsonWriter } from './json-writer';

const textOf = (out: JsonWriter): string => Buffer.concat(out.pieces()).toString();

describe('JsonWriter', () => {
  it('writes what JSON.stringify prints', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(textOf(new JsonWriter().value(value as JsonValue))).toBe(JSON.stringify(value)),
      ),
    );
    for (const value of [-0, 1e21, 5e-324, NaN, Infinity, 2 ** 53, '\ud800', '\u2028"\\\u007f']) {
      expect(textOf(new JsonWriter().value(value))).toBe(JSON.stringify(value));
    }
  });

  it('writes plain bytes as JSON.stringify prints their text, and nothing of others', () => {
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.string({ maxLength: 300, size: 'max' }));
    fc.assert(
      fc.property(bytes, (value) => {
        const data = Buffer.from(value as Uint8Array);
        const out = new JsonWriter().raw('[');
        const text = JSON.stringify(data.toString('latin1'));
        const isPlain = data.length <= 256 && /^"[ !#-[\]-~]*"$/.test(text);
        expect(out.plain(data)).toBe(isPlain);
        expect(textOf(out)).toBe(isPlain ? `[${text}` : '[');
      }),
    );
  });

  it('writes integers as JSON.stringify does', () => {
    const edges = [0, -0, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER];
    for (const value of edges.flatMap((edge) => [edge, -edge])) {
      expect(textOf(new JsonWriter().integer(value))).toBe(JSON.stringify(value));
    }
    const numbers = fc.array(fc.oneof(fc.integer(), fc.maxSafeInteger()), { maxLength: 3000, size: 'max' });
    fc.assert(
      fc.property(numbers, (values) => {
        const out = new JsonWriter();
        for (const value of values) out.integer(value).raw(',');
        expect(textOf(out)).toBe(values.map((value) => `${value},`).join(''));
      }),
      { numRuns: 20 },
    );
  });

  it('writes exact integers, and objects whose keys keep their order, as stringifyJson does', () => {
    const entries: [string, JsonValue][] = [
      ['10', [new ExactInteger('-9007199254740993')]],
      ['2', { plain: new OrderedObject(new Map()) }],
      ['__proto__', null],
    ];
    const value = new OrderedObject(new Map(entries));
    expect(textOf(new JsonWriter().value(value))).toBe(stringifyJson(value));
  });

  it('writes strings, bytes and hex of any length one after another, and takes them back', () => {
    const step = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40_000, size: 'max' }).map((text) => ({ text })),
      fc.uint8Array({ maxLength: 40_000, size: 'max' }).map((data) => ({ data: Buffer.from(data) })),
      fc.nat(60_000).map((length) => ({ cut: length })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
        const out = new JsonWriter();
        let expected = Buffer.alloc(0);
        const add = (text: string): void => void (expected = Buffer.concat([expected, Buffer.from(text)]));
        for (const step of steps) {
          if ('text' in step) {
            out.string(step.text);
            add(JSON.stringify(step.text));
          } else if ('data' in step) {
            const start = out.length;
            out.hex(step.data);
            const copy = out.copyFrom(start);
            out.bytes(copy).raw(',');
            const hex = `"${step.data.toString('hex')}"`;
            add(`${hex}${hex},`);
            expect(copy.toString()).toBe(hex);
          } else {
            const length = Math.min(step.cut, expected.length);
            out.truncate(length);
            expected = expected.subarray(0, length);
          }
          expect(out.length).toBe(expected.length);
        }
        expect(Buffer.concat(out.pieces()).equals(expected)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps a copy when the text that it is from is cut and written over', () => {
    const out = new JsonWriter().raw('[');
    out.string('first');
    const copy = out.copyFrom(1);
    out.truncate(1);
    out.string('other');
    expect([copy.toString(), textOf(out)]).toEqual(['"first"', '["other"']);
  });
});
