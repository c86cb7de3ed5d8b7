import fc from 'fast-check';
import { asciiJson } from './ascii-json';

describe('JSON in a bulk request', () => {
  it.each<'binary' | 'binary-ascii'>(['binary', 'binary-ascii'])(
    'has the same text after it was written one byte per character (%s)',
    (unit) => {
      fc.assert(
        fc.property(fc.string({ unit, maxLength: 400 }), (text) => {
          const sent = Buffer.from(asciiJson(text), 'latin1');
          expect(JSON.parse(sent.toString('utf8'))).toEqual(text);
        }),
      );
    },
  );

  it('is what JSON.stringify prints of each character of ASCII', () => {
    for (let code = 0; code < 0x80; code++) {
      const text = `a${String.fromCharCode(code)}z`;
      expect(asciiJson(text)).toBe(JSON.stringify(text));
    }
  });

  it('escapes the first characters beyond ASCII, which are one byte each in latin1', () => {
    expect(asciiJson('\u0080é')).toBe(String.raw`"\u0080\u00e9"`);
  });
});
