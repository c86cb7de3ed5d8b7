import fc from 'fast-check';
import { decodeOrigin, encodeOrigin } from './action-origin';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const origin = fc.record({
  blockNum: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  block: bytes32.map((bytes) => bytes.toString('hex')),
  timestamp: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  firstSequence: fc.maxSafeNat(),
  transaction: bytes32,
});

describe('the origin of an action', () => {
  it('is read as it was written, and sorts like the block', () => {
    fc.assert(
      fc.property(origin, origin, (one, other) => {
        expect(decodeOrigin(encodeOrigin(one))).toEqual(one);
        if (one.blockNum >>> 16 === other.blockNum >>> 16) return;
        const [left, right] = [encodeOrigin(one), encodeOrigin(other)].map((text) => Buffer.from(text, 'base64'));
        expect(Buffer.compare(left as Buffer, right as Buffer) < 0).toBe(one.blockNum < other.blockNum);
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it('is refused with another length', () => {
    for (const text of ['', 'AAAA', Buffer.alloc(79).toString('base64'), Buffer.alloc(81).toString('base64')]) {
      expect(() => decodeOrigin(text)).toThrow(expect.objectContaining({ code: 'DECODE_FAILED' }));
    }
  });
});
