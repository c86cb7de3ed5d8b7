import fc from 'fast-check';
import { utf8ToString } from './utf8';

describe('utf8ToString', () => {
  it.each([
    ['68c3a9', 'hé'],
    ['efbfbd', '\ufffd'],
    ['efbbbf61', '\ufeffa'],
    ['61ff62', 'ab'],
    ['61c3', 'a'],
    ['e28261', 'a'],
    ['c080', ''],
    ['eda080', ''],
    ['f4908080', ''],
    ['f09f9a8061', '🚀a'],
    ['80efbfbd80', '\ufffd'],
  ])('converts %s to %p and omits bytes that are not UTF-8', (hex, text) => {
    expect(utf8ToString(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it('omits exactly the bytes that a UTF-8 decoder replaces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40, size: 'max' }), (array) => {
        const bytes = Buffer.from(array);
        fc.pre(!bytes.includes(Buffer.from('efbfbd', 'hex')));
        expect(utf8ToString(bytes)).toBe(bytes.toString('utf8').replaceAll('\ufffd', ''));
      }),
      { numRuns: 1000 },
    );
  });
});
