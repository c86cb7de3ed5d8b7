import { createHash } from 'node:crypto';
import { RecordWriter, type TransactionHeader, writeTransactionHeader } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { packBlock, recordedBlocks } from '@antelope-history/store/contract';
import { openSample, SAMPLES } from '@antelope-history/test-support/recordings';
import fc from 'fast-check';
import {
  type BlockExecution,
  decodeExecution,
  decodeListed,
  decodeRootSequences,
  decodeTransactionRecords,
  decodeTransactionsOf,
  encodeExecution,
} from './block-execution';

const bytes = (length: { minLength: number; maxLength: number }): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ ...length, size: 'max' }).map((array) => Buffer.from(array));
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
const headers = fc.array(header, { maxLength: 10 });
const rootSequences = fc.array(fc.array(fc.maxSafeNat(), { maxLength: 4 }), { maxLength: 10 });

/** A block with some transactions of its own among those that were executed, in any order, and what was recorded of it. */
const executedBlock = fc
  .tuple(headers, fc.array(bytes({ minLength: 0, maxLength: 60 }), { maxLength: 10 }), rootSequences)
  .map(([others, packed, sequences]): { block: Buffer; execution: BlockExecution; contained: number } => {
    const own = packed.map((each, index): TransactionHeader => ({
      ...(others[index] ?? EMPTY),
      id: createHash('sha256').update(each).digest(),
      receiptIndex: index,
    }));
    return {
      block: packBlock({ timestamp: 1 }, packed),
      execution: { rootSequences: sequences, transactions: [...own, ...others] },
      contained: packed.length,
    };
  });

const NO_BLOCK = Buffer.alloc(0);
const MOST = Number.MAX_SAFE_INTEGER;
const EMPTY: TransactionHeader = {
  id: Buffer.alloc(32),
  receiptIndex: -1,
  status: 0,
  cpuUsageUs: 0,
  netUsageWords: 0,
  firstSequence: 0,
  sequenceCount: 0,
  partial: undefined,
};

describe('the execution of a block', () => {
  it('decodes to what was encoded', () => {
    fc.assert(
      fc.property(executedBlock, ({ block, execution }) => {
        const packed = encodeExecution(execution, block);
        expect(decodeExecution(packed, block)).toEqual(execution);
        expect(decodeRootSequences(packed)).toEqual(execution.rootSequences);
        const listed = decodeListed(packed);
        for (const [index, { id, firstSequence, sequenceCount }] of execution.transactions.entries()) {
          expect(listed[index]).toMatchObject({ firstSequence, sequenceCount });
          expect(listed[index]?.id.subarray(0, 8)).toEqual(id.subarray(0, 8));
          for (const prefix of [id.toString('hex'), id.toString('hex', 0, 4)]) {
            const expected = execution.transactions.filter((each) => each.id.toString('hex').startsWith(prefix));
            expect(decodeTransactionsOf(packed, block, prefix)).toEqual(expected);
          }
        }
      }),
      {
        examples: [
          [{ block: NO_BLOCK, execution: { rootSequences: [[MOST], [0, MOST]], transactions: [] }, contained: 0 }],
        ],
      },
    );
  });

  it('has eight bytes of each id that follows from the block, and the others as a whole', () => {
    fc.assert(
      fc.property(executedBlock, ({ block, execution, contained }) => {
        const without = encodeExecution(execution, NO_BLOCK);
        expect(without.length - encodeExecution(execution, block).length).toBe(24 * contained);
      }),
    );
  });

  it('is rejected when it is truncated', () => {
    fc.assert(
      fc.property(executedBlock, fc.nat({ max: 1_000 }), ({ block, execution }, missing) => {
        const packed = encodeExecution(execution, block);
        const lastTransaction = execution.transactions.length > 0 ? 1 : 0;
        const cut = packed.subarray(0, Math.max(0, packed.length - 1 - (missing % (1 + 40 * lastTransaction))));
        try {
          // A cut between two transactions leaves fewer of them, which the wholeness check of a query finds.
          expect(decodeExecution(cut, block).transactions.length).toBeLessThan(execution.transactions.length);
        } catch (error) {
          expect(error).toBeInstanceOf(HistoryError);
        }
      }),
    );
  });

  it('is rejected beside a block with other transactions', () => {
    const block = packBlock({ timestamp: 1 }, [Buffer.from('one'), Buffer.from('two')]);
    const id = createHash('sha256').update('two').digest();
    const execution = { rootSequences: [], transactions: [{ ...EMPTY, id, receiptIndex: 1 }] };
    const packed = encodeExecution(execution, block);
    for (const other of [
      packBlock({ timestamp: 1 }, [Buffer.from('one'), Buffer.from('owt')]),
      packBlock({ timestamp: 1 }, [Buffer.from('one')]),
      Buffer.from('no block'),
    ]) {
      expect(() => decodeExecution(packed, other)).toThrow('the id of a transaction is not the one');
    }
  });

  it('is not hashed for transactions that begin with other bytes: one is found beside a damaged one', () => {
    const texts = ['one', 'two'];
    const transactions = texts.map((text, receiptIndex) => ({
      ...EMPTY,
      id: createHash('sha256').update(text).digest(),
      receiptIndex,
    }));
    const pack = (contents: string[]) =>
      packBlock(
        { timestamp: 1 },
        contents.map((each) => Buffer.from(each)),
      );
    const packed = encodeExecution({ rootSequences: [], transactions }, pack(texts));
    const [one, two] = transactions.map(({ id }) => id.toString('hex')) as [string, string];
    expect(decodeTransactionsOf(packed, pack(['one', 'owt']), one)).toEqual(transactions.slice(0, 1));
    expect(() => decodeTransactionsOf(packed, pack(['one', 'owt']), two)).toThrow(HistoryError);
  });

  it('keeps whole ids beside a transaction whose compression no node knows', () => {
    const block = packBlock({ timestamp: 1 }, [Buffer.from('one')]);
    const compressionAt = block.indexOf(Buffer.from('one')) - 3;
    block[compressionAt] = 7;
    const id = createHash('sha256').update('one').digest();
    const execution = { rootSequences: [[5]], transactions: [{ ...EMPTY, id, receiptIndex: 0 }] };
    const packed = encodeExecution(execution, block);
    expect(packed.includes(id)).toBe(true);
    expect(decodeExecution(packed, block)).toEqual(execution);
  });

  it.each(SAMPLES)('of each block of %s decodes to what was recorded', (name) => {
    const blocks = recordedBlocks({ name, ...openSample(name) }).filter(({ block }) => block);
    let derived = 0;
    for (const { block, rootSequences: sequences, transactions } of blocks) {
      const recorded = { rootSequences: sequences, transactions: transactions.map(({ actions: _, ...each }) => each) };
      const packed = encodeExecution(recorded, block as Buffer);
      expect(decodeExecution(packed, block as Buffer)).toEqual(recorded);
      derived += transactions.filter(({ id }) => !packed.includes(id)).length;
    }
    expect(derived).toBeGreaterThan(0);
  });
});

describe('transaction records of a format before 5', () => {
  it('decode to what was encoded', () => {
    fc.assert(
      fc.property(headers, (transactions) => {
        expect(decodeTransactionRecords(packEarlier(transactions))).toEqual(transactions);
      }),
    );
  });

  it('are rejected when they are truncated', () => {
    fc.assert(
      fc.property(fc.array(header, { minLength: 1 }), fc.integer({ min: 1, max: 39 }), (transactions, missing) => {
        const whole = packEarlier(transactions);
        expect(() => decodeTransactionRecords(whole.subarray(0, whole.length - missing))).toThrow(HistoryError);
      }),
    );
  });
});

function packEarlier(transactions: readonly TransactionHeader[]): Buffer {
  const writer = new RecordWriter(64);
  for (const transaction of transactions) writeTransactionHeader(writer, transaction);
  return writer.view(0);
}
