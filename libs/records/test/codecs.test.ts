import { openSample, SAMPLES } from '@antelope-history/test-support/recordings';
import type { HistoryError } from '@antelope-history/schemas';
import { createShipProtocol } from '@antelope-history/ship';
import fc from 'fast-check';
import { blockRecordsCodec, deserializeBlock, rawBlockCodec, type BlockRecords } from '../src/index';

const VIEW = { session: 1_763_700_000_000_000, ordinal: 1_763_700_000_000_417 };
const CHAIN_ID = 'cd'.repeat(32);

function recordsOf(name: (typeof SAMPLES)[number]): BlockRecords[] {
  const { abi, messages } = openSample(name);
  const protocol = createShipProtocol(abi);
  return messages.flatMap(({ bytes }, index) => {
    const result = protocol.readResult(bytes);
    const chainId = index % 2 === 0 ? CHAIN_ID : undefined;
    return result.kind === 'blocks' ? [deserializeBlock(result.blocks, protocol, { chainId, view: VIEW })] : [];
  });
}

describe.each(SAMPLES)('the codecs, on %s', (name) => {
  it('give every block of records back', () => {
    const blocks = recordsOf(name);
    for (const records of blocks) expect(blockRecordsCodec.decode(blockRecordsCodec.encode(records))).toEqual(records);
    expect(blocks.length).toBeGreaterThan(50);
  });

  it('give every raw block back', () => {
    const { abi, messages } = openSample(name);
    for (const { bytes } of messages) {
      const raw = { abi, message: bytes, chainId: CHAIN_ID, view: VIEW };
      expect(rawBlockCodec.decode(rawBlockCodec.encode(raw))).toEqual(raw);
    }
  });
});

it('raw blocks of several nodes keep their own ABI frames', () => {
  const raws = ['one', 'two', 'one', '', 'ünïcödé'].map((abi) => ({
    abi,
    message: Buffer.from(abi),
    chainId: undefined,
    view: VIEW,
  }));
  const encoded = raws.map((raw) => rawBlockCodec.encode(raw));
  expect(encoded.map((bytes) => rawBlockCodec.decode(bytes))).toEqual(raws);
});

/** Whether decoding refuses as promised, or gives something. */
function decodes(decode: (bytes: Buffer) => unknown, bytes: Buffer): boolean {
  try {
    decode(bytes);
    return true;
  } catch (error) {
    expect((error as HistoryError).code).toBe('DECODE_FAILED');
    return false;
  }
}

describe('bytes that are no message', () => {
  const records = recordsOf('leap-edge').reduce((one, two) =>
    one.transactions.length > two.transactions.length ? one : two,
  );
  const { abi, messages } = openSample('leap-edge');
  const encoded = blockRecordsCodec.encode(records);
  const raw = rawBlockCodec.encode({ abi, message: messages[0]!.bytes, chainId: CHAIN_ID, view: VIEW });

  it('are refused when something is missing at the end, or added', () => {
    for (let length = 0; length < encoded.length; length += 1 + (length >> 4)) {
      expect(decodes((bytes) => blockRecordsCodec.decode(bytes), encoded.subarray(0, length))).toBe(false);
    }
    expect(decodes((bytes) => blockRecordsCodec.decode(bytes), Buffer.concat([encoded, encoded]))).toBe(false);
    for (let length = 0; length < 60; length++) {
      expect(decodes((bytes) => rawBlockCodec.decode(bytes), raw.subarray(0, length))).toBe(false);
    }
  });

  it('never do more than be refused', () => {
    const blow = fc.tuple(fc.nat(400), fc.nat(255));
    fc.assert(
      fc.property(fc.array(blow, { minLength: 1, maxLength: 6 }), (blows) => {
        for (const original of [encoded, raw]) {
          const spoiled = Buffer.from(original);
          for (const [at, value] of blows) spoiled[at % spoiled.length] = value;
          decodes((bytes) => blockRecordsCodec.decode(bytes), spoiled);
          decodes((bytes) => rawBlockCodec.decode(bytes), spoiled);
        }
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it('of another version say which', () => {
    const later = Buffer.from(encoded);
    later[0] = 9;
    expect(() => blockRecordsCodec.decode(later)).toThrow(/version 9/);
  });
});
