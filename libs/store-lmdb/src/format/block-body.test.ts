import type { BlockRecords } from '@antelope-history/records';
import fc from 'fast-check';
import { decodeBlockBody, encodeBlockBody } from './block-body';

describe('a block body', () => {
  it('keeps the packed block and its root sequences', () => {
    const first = 2 ** 40;
    const sequences = fc.array(fc.array(fc.oneof(fc.nat(5_000), fc.constant(-1)), { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(
        sequences,
        fc.uint8Array({ maxLength: 5_000, size: 'max' }),
        fc.boolean(),
        fc.boolean(),
        (offsets, bytes, fromEosio, hasTraces) => {
          const rootSequences = offsets.map((receipt) => receipt.map((offset) => first + offset));
          const block = Buffer.from(bytes);
          const flags = { generation: fromEosio ? 'eosio-2.0' : 'eosio-2.1+', hasTraces } as const;
          const records = { ...flags, rootSequences, block } as BlockRecords;
          expect(decodeBlockBody(encodeBlockBody(records, first), first)).toEqual({
            ...flags,
            rootSequences,
            block,
          });
        },
      ),
    );
  });

  it('reads any earlier sequence as the one just before the block', () => {
    const records = { rootSequences: [[1], [999]], block: Buffer.from('block') } as BlockRecords;
    expect(decodeBlockBody(encodeBlockBody(records, 1_000), 1_000).rootSequences).toEqual([[999], [999]]);
  });
});
