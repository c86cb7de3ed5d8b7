import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { CHAIN_STATE_BYTES, peekBlocksResult } from './blocks-result';
import { createRecording, openRecording, type Recording } from './recording';
import { RecordingError } from './recording-error';
import { openSample, SAMPLES } from './samples';

const CHAIN_ID = 'd4bb87c2b49f2cbd3a50fbe974fd1846b8698e1f8e398548f2ff6b7875b0ebb9';
const SPRING_CHAIN_ID = '8a09a04636b5120b5f615ef99a79d18941333abbab4b3d95f90d50c503bf8ba9';

describe('the samples', () => {
  it.each([
    ['leap-edge', 537, 1, 505],
    ['leap-forks', 391, 1, 334],
    ['leap-snapshot', 58, 40, 97],
    ['eosio20-edge', 298, 1, 298],
    ['spring-savanna', 737, 1, 651],
  ] as const)('%s has %i messages of blocks %i to %i', (name, count, first, last) => {
    const { messages } = openSample(name);
    expect(messages).toHaveLength(count);
    expect(messages[0]?.thisBlock?.num).toBe(first);
    expect(messages.at(-1)?.thisBlock?.num).toBe(last);
  });

  it.each(SAMPLES)('%s carries the chain id in its first deltas', (name) => {
    expect(openSample(name).chainId).toBe(name === 'spring-savanna' ? SPRING_CHAIN_ID : CHAIN_ID);
  });

  it.each(SAMPLES)('%s: every message follows the block that it names as previous', (name) => {
    const ids = new Map<number, string>();
    for (const { thisBlock, prevBlock } of openSample(name).messages) {
      if (!thisBlock) throw new Error('a recorded message without a block');
      if (prevBlock && ids.size > 0) expect(ids.get(prevBlock.num)).toBe(prevBlock.id);
      ids.set(thisBlock.num, thisBlock.id);
    }
  });

  it('leap-edge has four forks', () => {
    const { messages } = openSample('leap-edge');
    const nums = messages.map((message) => message.thisBlock?.num ?? 0);
    const forks = nums.flatMap((num, index) => (num <= (nums[index - 1] ?? 0) ? [num] : []));
    expect(forks).toEqual([46, 61, 126, 195]);
  });

  it('messages are views of one buffer, with the sections inside', () => {
    const { messages } = openSample('leap-edge');
    const buffers = new Set(messages.map((message) => message.bytes.buffer));
    expect(buffers.size).toBe(1);
    for (const { bytes, block, traces, deltas } of messages) {
      expect(block.end).toBe(traces.flag);
      expect(traces.end).toBe(deltas.flag);
      expect(deltas.end).toBe(bytes.length);
      expect(bytes[block.flag]).toBe(block.present ? 1 : 0);
    }
  });
});

describe('a damaged recording', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'recording-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const packed = (recording: Recording): Buffer =>
    Buffer.concat(
      recording.messages.slice(0, 3).flatMap(({ bytes }) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(bytes.length);
        return [length, bytes];
      }),
    );
  const write = (messages: Buffer): void => {
    writeFileSync(path.join(folder, 'ship.abi.json'), '{}');
    writeFileSync(path.join(folder, 'messages.ship.gz'), messages);
  };

  it('is rejected with the name of a missing folder', () => {
    expect(() => openRecording(path.join(folder, 'nowhere'))).toThrow(RecordingError);
    expect(() => openRecording(path.join(folder, 'nowhere'))).toThrow(/nowhere.*can not be read/);
  });

  it('loads when it is complete', () => {
    write(gzipSync(packed(openSample('leap-edge'))));
    expect(openRecording(folder).messages).toHaveLength(3);
  });

  it('is rejected when the gzip file is truncated', () => {
    const whole = gzipSync(packed(openSample('leap-edge')));
    write(whole.subarray(0, whole.length - 20));
    expect(() => openRecording(folder)).toThrow(/messages\.ship\.gz is not a whole gzip file/);
  });

  it('is rejected with the number of a truncated message', () => {
    const whole = packed(openSample('leap-edge'));
    const lastStart = whole.length - 4 - (openSample('leap-edge').messages[2]?.bytes.length ?? 0);
    fc.assert(
      fc.property(fc.integer({ min: lastStart + 1, max: whole.length - 1 }), (cut) => {
        write(gzipSync(whole.subarray(0, cut)));
        expect(() => openRecording(folder)).toThrow(/Message 2 is cut short/);
      }),
      { numRuns: 50 },
    );
  });
});

describe('peekBlocksResult', () => {
  const [first] = openSample('leap-snapshot').messages;
  if (!first) throw new Error('an empty sample');

  it('rejects another variant, missing bytes and trailing bytes', () => {
    expect(() => peekBlocksResult(Buffer.from([0]))).toThrow(/variant 0/);
    expect(() => peekBlocksResult(Buffer.concat([first.bytes, Buffer.alloc(1)]))).toThrow(/1 bytes follow/);
    expect(() => createRecording('{}', [first.bytes, first.bytes.subarray(0, CHAIN_STATE_BYTES)])).toThrow(/Message 1/);
  });

  it('throws only RecordingErrors, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400, size: 'max' }), (bytes) => {
        try {
          peekBlocksResult(Buffer.from([1, ...bytes]));
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError);
        }
      }),
    );
  });
});
