import fc from 'fast-check';
import { ExactInteger, OrderedObject, stringifyJson, type JsonValue } from './json-value';

describe('stringifyJson', () => {
  it('is JSON.stringify for ordinary values', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(stringifyJson(value)).toBe(JSON.stringify(value))));
  });

  it('prints integers exactly, as numbers', () => {
    const value = { a: [new ExactInteger('-9223372036854775808')], b: new ExactInteger('-9007199254740993') };
    expect(stringifyJson(value)).toBe('{"a":[-9223372036854775808],"b":-9007199254740993}');
    expect(JSON.stringify(value)).toBe('{"a":["-9223372036854775808"],"b":"-9007199254740993"}');
  });

  it('keeps the order of keys, and every key', () => {
    const inner = new OrderedObject(new Map([['1', new ExactInteger('-9007199254740993')]]));
    const value = new OrderedObject(
      new Map<string, JsonValue>([
        ['10', 'x'],
        ['2', [inner]],
        ['__proto__', { plain: inner }],
        ['"', null],
      ]),
    );
    expect(stringifyJson({ value })).toBe(
      '{"value":{"10":"x","2":[{"1":-9007199254740993}],"__proto__":{"plain":{"1":-9007199254740993}},"\\"":null}}',
    );
    const reparsed = JSON.parse(JSON.stringify(value));
    expect(Object.keys(reparsed).sort()).toEqual(['"', '10', '2', '__proto__']);
  });

  it('leaves strings unchanged that look like its placeholders', () => {
    const strings = ['$1', '$&', '"', '\u2028', '00000000-0000-0000-0000-000000000000:0'];
    const value = [...strings, new ExactInteger('-1')];
    expect(JSON.parse(stringifyJson(value))).toEqual([...strings, -1]);
  });

  it('recovers after a value that cannot be printed', () => {
    const circular: unknown[] = [new ExactInteger('-5')];
    circular.push(circular);
    expect(() => stringifyJson(circular)).toThrow(TypeError);
    expect(JSON.stringify(new ExactInteger('-5'))).toBe('"-5"');
    expect(stringifyJson([new ExactInteger('-5')])).toBe('[-5]');
  });
});
