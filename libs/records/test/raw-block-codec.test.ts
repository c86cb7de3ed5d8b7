import { openSample, SAMPLES } from '@antelope-history/test-support/recordings';
import type { HistoryError } from '@antelope-history/schemas';
import fc from 'fast-check';
import { rawBlockCodec } from '../src/index';

const STREAM_POSITION = { epoch: 1_763_700_000_000_000, sequence: 1_763_700_000_000_417 };
const CHAIN_ID = 'cd'.repeat(32);

it.each(SAMPLES)('every raw block of %s is unchanged after encoding and decoding', (name) => {
  const { abi, messages } = openSample(name);
  for (const { bytes } of messages) {
    const raw = { abi, message: bytes, chainId: CHAIN_ID, streamPosition: STREAM_POSITION };
    expect(rawBlockCodec.decode(rawBlockCodec.encode(raw))).toEqual(raw);
  }
});

it('raw blocks of several nodes keep their own ABI frames', () => {
  const raws = ['one', 'two', 'one', '', 'ünïcödé'].map((abi) => ({
    abi,
    message: Buffer.from(abi),
    chainId: undefined,
    streamPosition: STREAM_POSITION,
  }));
  const encoded = raws.map((raw) => rawBlockCodec.encode(raw));
  expect(encoded.map((bytes) => rawBlockCodec.decode(bytes))).toEqual(raws);
});

/** Whether bytes decode; fails the test when they are refused with another code than `DECODE_FAILED`. */
function decodes(bytes: Buffer): boolean {
  try {
    rawBlockCodec.decode(bytes);
    return true;
  } catch (error) {
    expect((error as HistoryError).code).toBe('DECODE_FAILED');
    return false;
  }
}

describe('rawBlockCodec.decode', () => {
  const { abi, messages } = openSample('leap-edge');
  const encoded = rawBlockCodec.encode({
    abi,
    message: messages[0]!.bytes,
    chainId: CHAIN_ID,
    streamPosition: STREAM_POSITION,
  });

  it('refuses a truncated head', () => {
    for (let length = 0; length < 60; length++) expect(decodes(encoded.subarray(0, length))).toBe(false);
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
    expect(() => rawBlockCodec.decode(later)).toThrow(/version 9/);
  });
});
