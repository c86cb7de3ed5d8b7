import fc from 'fast-check';
import { asciiJson } from './ascii-json';

describe('JSON in a bulk request', () => {
  it('has the same texts after it was written one byte per character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 })), (texts) => {
        const sent = Buffer.from(asciiJson(texts), 'latin1');
        expect(JSON.parse(sent.toString('utf8'))).toEqual(texts);
      }),
    );
  });
});
