import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { openSample } from '@antelope-history/test-support/recordings';
import { hasErrorCode } from '@antelope-history/schemas';
import fc from 'fast-check';
import {
  hasContextFreeActions,
  readBlockHeader,
  readContextFreeData,
  readPackedTransaction,
  readReceipt,
  readReceipts,
  readSignedBlock,
  readTransaction,
  readTransactionHeader,
  readTransactionId,
  unpackTransaction,
  type PackedTransaction,
} from './signed-block';

const blocks = openSample('leap-edge').messages.flatMap(({ bytes, block }) =>
  block.present ? [bytes.subarray(block.start, block.end)] : [],
);

const idOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A varuint32 with `extra` bytes more than necessary, five bytes at most. */
function varuint(value: number, extra = 0): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  for (let more = 0; more < extra && bytes.length < 5; more++) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80;
    bytes.push(0);
  }
  return Buffer.from(bytes);
}

/** A transaction with one action; each varuint has `extra` bytes more than necessary. */
function packTransaction(data: Buffer, delaySec: number, extra: number): Buffer {
  const fixed = Buffer.from('5fff006b2600' + '60ac88ee', 'hex');
  const name = Buffer.from('0000000000acaacf', 'hex');
  const parts = [fixed, varuint(7, extra), Buffer.from([9]), varuint(delaySec, extra), varuint(0, extra)];
  parts.push(varuint(1, extra), name, name, varuint(1, extra), name, name, varuint(data.length, extra), data);
  return Buffer.concat([...parts, varuint(0, extra)]);
}

function packed(
  packedTrx: Buffer,
  compressed = false,
  packedContextFreeData: Buffer = Buffer.alloc(0),
): PackedTransaction {
  return { signatures: [], compressed, packedContextFreeData, packedTrx };
}

describe('a recorded block', () => {
  it('has the id that SHiP reports: the hash of its header, with the block number in the first four bytes', () => {
    for (const { bytes, block, thisBlock } of openSample('leap-edge').messages) {
      if (!block.present || !thisBlock) continue;
      const signedBlock = bytes.subarray(block.start, block.end);
      const { producerSignature } = readSignedBlock(signedBlock);
      const headerLength = producerSignature.byteOffset - signedBlock.byteOffset;
      const hash = idOf(signedBlock.subarray(0, headerLength));
      expect(thisBlock.id).toBe(thisBlock.num.toString(16).padStart(8, '0') + hash.slice(8));
    }
  });

  it('returns the same receipts one by one and all together', () => {
    let count = 0;
    for (const block of blocks.slice(200, 300)) {
      const { receipts, blockExtensions, producerSignature, ...header } = readSignedBlock(block);
      expect(blockExtensions).toEqual([]);
      expect(producerSignature).toHaveLength(66);
      expect(readBlockHeader(block)).toEqual(header);
      expect(readReceipts(block)).toEqual(receipts);
      for (const [index, receipt] of receipts.entries()) expect(readReceipt(block, index)).toEqual(receipt);
      count += receipts.length;
    }
    expect(count).toBe(352);
  });

  it('has transactions whose ids and context-free actions are found without decoding them', () => {
    const free = [true, false].map(() => 0);
    for (const receipt of blocks.flatMap((block) => readReceipts(block))) {
      if ('id' in receipt.transaction) continue;
      const parts = readPackedTransaction(receipt.transaction.packed);
      const { id, contextFreeActions } = readTransaction(parts);
      expect(readTransactionId(unpackTransaction(parts))).toBe(id);
      expect(hasContextFreeActions(unpackTransaction(parts))).toBe(contextFreeActions.length > 0);
      free[contextFreeActions.length > 0 ? 0 : 1]!++;
    }
    expect(Math.min(...free)).toBeGreaterThan(0);
  });

  it('has no receipt outside the range of its indexes', () => {
    const block = blocks.find((candidate) => readReceipts(candidate).length === 2) as Buffer;
    for (const index of [-1, 2]) {
      expect(() => readReceipt(block, index)).toThrow(`no receipt ${index} in a block of 2`);
    }
  });

  it('fails with DECODE_FAILED when it is truncated at any offset', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...blocks),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (block, at) => {
          expectDecodeFailure(() => readSignedBlock(block.subarray(0, Math.floor(at * block.length))));
        },
      ),
    );
  });
});

describe('random bytes', () => {
  it('decode or fail with DECODE_FAILED', () => {
    const readers = [
      (bytes: Buffer) => readSignedBlock(bytes),
      (bytes: Buffer) => readPackedTransaction(bytes),
      (bytes: Buffer) => readTransaction(packed(bytes)),
      (bytes: Buffer) => readTransaction(packed(bytes, true)),
      (bytes: Buffer) => readContextFreeData(packed(bytes, false, bytes)),
      (bytes: Buffer) => readTransactionId(bytes),
      (bytes: Buffer) => hasContextFreeActions(bytes),
    ];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400, size: 'max' }), fc.constantFrom(...readers), (bytes, read) => {
        try {
          read(Buffer.from(bytes));
        } catch (error) {
          expect(hasErrorCode(error, 'DECODE_FAILED')).toBe(true);
        }
      }),
    );
  });
});

describe('readTransaction', () => {
  it('returns the same transaction for every packed form, with the id of the shortest form', () => {
    const anything = { data: fc.uint8Array({ maxLength: 300, size: 'max' }), delaySec: fc.nat(), extra: fc.nat(4) };
    fc.assert(
      fc.property(fc.record(anything), fc.uint8Array(), fc.boolean(), ({ data, delaySec, extra }, rest, compressed) => {
        const shortest = packTransaction(Buffer.from(data), delaySec, 0);
        const sent = Buffer.concat([packTransaction(Buffer.from(data), delaySec, extra), rest]);
        const transaction = readTransaction(packed(compressed ? deflateSync(sent) : sent, compressed));
        expect(transaction).toEqual({ ...readTransaction(packed(shortest)), id: idOf(shortest) });
        expect(transaction).toMatchObject({ delaySec, maxNetUsageWords: 7, maxCpuUsageMs: 9 });
        expect(transaction.actions[0]?.data.equals(data)).toBe(true);
        expect(transaction).toMatchObject(readTransactionHeader(packed(sent)));
        const unpacked = unpackTransaction(packed(compressed ? deflateSync(sent) : sent, compressed));
        expect(readTransactionId(unpacked)).toBe(transaction.id);
        expect(hasContextFreeActions(unpacked)).toBe(false);
      }),
    );
  });

  it('drops the bits of a varuint above the 32nd, as the node does', () => {
    const transaction = packTransaction(Buffer.alloc(0), 0, 0);
    const sent = Buffer.concat([
      transaction.subarray(0, 10),
      Buffer.from('87808080f0', 'hex'),
      transaction.subarray(11),
    ]);
    expect(readTransaction(packed(sent))).toMatchObject({ maxNetUsageWords: 7, id: idOf(transaction) });
  });

  it('refuses a transaction that inflates beyond 1 MiB', () => {
    const atLimit = (1 << 20) - packTransaction(Buffer.alloc(1 << 19), 0, 0).length + (1 << 19);
    const pack = (size: number) => packed(deflateSync(packTransaction(Buffer.alloc(size), 0, 0)), true);
    expect(readTransaction(pack(atLimit)).actions[0]?.data).toHaveLength(atLimit);
    expectDecodeFailure(() => readTransaction(pack(atLimit + 1)));
  });
});

describe('readContextFreeData', () => {
  const elements = Buffer.concat([varuint(2), varuint(3), Buffer.from('abc'), varuint(0)]);

  it.each([
    ['plain', false, elements],
    ['compressed', true, deflateSync(elements)],
  ])('reads %s data', (_, compressed, bytes) => {
    expect(readContextFreeData(packed(Buffer.alloc(0), compressed, bytes))).toEqual([
      Buffer.from('abc'),
      Buffer.alloc(0),
    ]);
  });

  it('returns no elements for empty and for compressed empty data', () => {
    expect(readContextFreeData(packed(Buffer.alloc(0), true))).toEqual([]);
    expect(readContextFreeData(packed(Buffer.alloc(0), true, deflateSync(Buffer.alloc(0))))).toEqual([]);
  });
});

describe('readPackedTransaction', () => {
  it('accepts a WebAuthn signature of any length', () => {
    const clientJson = Buffer.alloc(20_000, '"');
    const signature = Buffer.concat([Buffer.from([2]), Buffer.alloc(65), varuint(0), varuint(20_000), clientJson]);
    const bytes = Buffer.concat([varuint(1), signature, Buffer.from([0]), varuint(0), varuint(0)]);
    expect(readPackedTransaction(bytes).signatures).toEqual([signature]);
  });

  it('refuses an unknown compression and an unknown signature type', () => {
    expectDecodeFailure(() => readPackedTransaction(Buffer.from([0, 2, 0, 0])));
    expectDecodeFailure(() => readPackedTransaction(Buffer.concat([Buffer.from([1, 3]), Buffer.alloc(99)])));
  });
});

function expectDecodeFailure(read: () => unknown): void {
  let thrown: unknown;
  try {
    read();
  } catch (error) {
    thrown = error;
  }
  expect(hasErrorCode(thrown, 'DECODE_FAILED')).toBe(true);
}
