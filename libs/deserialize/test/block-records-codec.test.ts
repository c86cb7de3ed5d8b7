import { openSample, SAMPLES } from '@antelope-history/test-support/recordings';
import { blockRecordsCodec, type BlockRecords } from '@antelope-history/records';
import type { HistoryError } from '@antelope-history/schemas';
import { createShipProtocol } from '@antelope-history/ship';
import fc from 'fast-check';
import { deserializeBlock } from '../src/index';

const STREAM_POSITION = { epoch: 1_763_700_000_000_000, sequence: 1_763_700_000_000_417 };
const CHAIN_ID = 'cd'.repeat(32);

function recordsOf(name: (typeof SAMPLES)[number]): BlockRecords[] {
  const { abi, messages } = openSample(name);
  const protocol = createShipProtocol(abi);
  return messages.flatMap(({ bytes }, index) => {
    const result = protocol.readResult(bytes);
    const chainId = index % 2 === 0 ? CHAIN_ID : undefined;
    return result.kind === 'blocks'
      ? [deserializeBlock(result.blocks, protocol, { chainId, streamPosition: STREAM_POSITION })]
      : [];
  });
}

it.each(SAMPLES)('every block of records of %s is unchanged after encoding and decoding', (name) => {
  const blocks = recordsOf(name);
  for (const records of blocks) expect(blockRecordsCodec.decode(blockRecordsCodec.encode(records))).toEqual(records);
  expect(blocks.length).toBeGreaterThan(50);
});

/** Whether bytes decode; fails the test when they are refused with another code than `DECODE_FAILED`. */
function decodes(bytes: Buffer): boolean {
  try {
    blockRecordsCodec.decode(bytes);
    return true;
  } catch (error) {
    expect((error as HistoryError).code).toBe('DECODE_FAILED');
    return false;
  }
}

describe('blockRecordsCodec.decode', () => {
  const records = recordsOf('leap-edge').reduce((one, two) =>
    one.transactions.length > two.transactions.length ? one : two,
  );
  const encoded = blockRecordsCodec.encode(records);

  it('refuses truncated bytes and trailing bytes', () => {
    for (let length = 0; length < encoded.length; length += 1 + (length >> 4)) {
      expect(decodes(encoded.subarray(0, length))).toBe(false);
    }
    expect(decodes(Buffer.concat([encoded, encoded]))).toBe(false);
  });

  it('throws nothing but DECODE_FAILED on corrupted bytes', () => {
    const change = fc.tuple(fc.nat(400), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const corrupted = Buffer.from(encoded);
        for (const [at, value] of changes) corrupted[at % corrupted.length] = value;
        decodes(corrupted);
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it('names the version of bytes of an unknown version', () => {
    const later = Buffer.from(encoded);
    later[0] = 9;
    expect(() => blockRecordsCodec.decode(later)).toThrow(/version 9/);
  });
});
