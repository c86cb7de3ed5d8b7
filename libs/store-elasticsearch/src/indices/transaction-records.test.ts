import type { TransactionHeader } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import fc from 'fast-check';
import { decodeTransactionRecords, encodeTransactionRecords } from './transaction-records';

const bytes = (length: { minLength: number; maxLength: number }): fc.Arbitrary<Buffer> =>
  fc.uint8Array(length).map((array) => Buffer.from(array));
const hash = bytes({ minLength: 32, maxLength: 32 });
const uint32 = fc.nat({ max: 0xffffffff });

const header: fc.Arbitrary<TransactionHeader> = fc.record({
  id: hash,
  receiptIndex: fc.integer({ min: -1, max: 100_000 }),
  status: fc.nat({ max: 4 }),
  cpuUsageUs: uint32,
  netUsageWords: uint32,
  firstSequence: fc.maxSafeNat(),
  sequenceCount: uint32,
  partial: fc.option(
    fc.record({
      id: hash.map((id) => id.toString('hex')),
      expiration: uint32,
      refBlockNum: fc.nat({ max: 0xffff }),
      refBlockPrefix: uint32,
      maxNetUsageWords: uint32,
      maxCpuUsageMs: fc.nat({ max: 0xff }),
      delaySec: uint32,
      signatures: fc.array(bytes({ minLength: 1, maxLength: 300 }), { maxLength: 3 }),
    }),
    { nil: undefined },
  ),
});

describe('transaction records', () => {
  it('decode to what was encoded', () => {
    fc.assert(
      fc.property(fc.array(header), (headers) => {
        expect(decodeTransactionRecords(encodeTransactionRecords(headers))).toEqual(headers);
      }),
    );
  });

  it('reject truncated bytes', () => {
    fc.assert(
      fc.property(fc.array(header, { minLength: 1 }), fc.integer({ min: 1, max: 39 }), (headers, missing) => {
        const whole = encodeTransactionRecords(headers);
        expect(() => decodeTransactionRecords(whole.subarray(0, whole.length - missing))).toThrow(HistoryError);
      }),
    );
  });
});
