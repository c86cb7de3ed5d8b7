import fc from 'fast-check';
import { writeArray, writeHex, writeString } from './write-json';

describe('the JSON writers', () => {
  it('write what JSON.stringify prints', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.uint8Array(), (texts, bytes) => {
        expect(writeArray(texts, writeString)).toBe(JSON.stringify(texts));
        expect(writeHex(Buffer.from(bytes))).toBe(JSON.stringify(Buffer.from(bytes).toString('hex')));
      }),
    );
  });
});
