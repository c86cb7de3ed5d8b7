import { stringifyJson } from '@antelope-history/json';
import { parseExactJson } from './exact-json';

describe('parseExactJson', () => {
  it.each(['{"b":-9223372036854775808,"a":[1,"2",null,true,9007199254740993]}', '{"é":"\\u0000\\""}', '[]'])(
    'keeps every digit and the order of keys of %s',
    (text) => expect(stringifyJson(parseExactJson(text))).toBe(text),
  );

  it('takes the long escapes of Spring for the short ones, and leaves an escaped backslash alone', () => {
    expect(stringifyJson(parseExactJson('"\\u0008\\u000c\\u0001"'))).toBe('"\\b\\f\\u0001"');
    expect(parseExactJson('"\\\\u0008"')).toBe('\\u0008');
  });

  it.each(['{"a": 1}', '{"b":1,"1":2}', '[1.0]', '[1e3]'])('refuses %s, which would change when printed', (text) => {
    expect(() => parseExactJson(text)).toThrow('JSON that changes when printed');
  });
});
