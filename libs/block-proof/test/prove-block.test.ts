import path from 'node:path';
import {
  openRecording,
  openSample,
  sampleFolder,
  SAMPLES,
  V1_MESSAGES_FILE,
} from '@antelope-history/test-support/recordings';
import { createRandom, type Random, testSize } from '@antelope-history/test-support/random';
import type { ActionRecord, ActionTrace } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import {
  headerBytes,
  readPackedTransaction,
  readReceipts,
  readSignedBlock,
  unpackTransaction,
} from '@antelope-history/ship';
import { BlockProver, type ProvableBlock } from '../src/index';
import {
  type DecodedBlock,
  decodedBlocks,
  type DecodedTransaction,
  packBlock,
  provableBlocks,
} from './recorded-blocks';

const prover = new BlockProver();
const prove = (block: ProvableBlock) => prover.prove(block);

/** Blocks without traces, whose actions cannot be proved: block 1 of each chain that was recorded from its beginning. */
const WITHOUT_TRACES = { 'leap-snapshot': 0 } as Partial<Record<string, number>>;

describe('BlockProver', () => {
  it.each(SAMPLES.filter((sample) => sample !== 'spring-savanna'))('finds nothing wrong in %s', (sample) => {
    const proofs = provableBlocks(openSample(sample)).map(prove);
    expect(proofs.flatMap(({ faults }) => faults)).toEqual([]);
    const unproved = proofs.filter(({ areActionsProved }) => !areActionsProved);
    expect(unproved).toHaveLength(WITHOUT_TRACES[sample] ?? 1);
  });

  it('proves the actions of Savanna blocks with the finality data, the blocks of the transition included', () => {
    const recording = openRecording(sampleFolder('spring-savanna'), V1_MESSAGES_FILE);
    const proofs = provableBlocks(recording).map(prove);
    expect(proofs.flatMap(({ faults }) => faults)).toEqual([]);
    expect(proofs.filter(({ areActionsProved }) => !areActionsProved)).toHaveLength(1);
  });

  it('says that the actions of Savanna blocks are not proved without finality data', () => {
    const proofs = provableBlocks(openSample('spring-savanna')).map(prove);
    expect(proofs.flatMap(({ faults }) => faults)).toEqual([]);
    expect(proofs.filter(({ areActionsProved }) => !areActionsProved).length).toBeGreaterThan(300);
  });
});

describe('BlockProver, of hostile blocks', () => {
  const hostile = provableBlocks(openRecording(path.join(sampleFolder('leap-edge'), '..', 'hostile')));

  it('computes the roots that the generator of the blocks wrote', () => {
    const proofs = hostile.map(prove);
    expect(proofs.flatMap(({ faults }) => faults)).toEqual([]);
    // Block 1 has no traces.
    expect(proofs.filter(({ areActionsProved }) => !areActionsProved)).toHaveLength(1);
  });

  it('unpacks compressed transactions up to its limit only', () => {
    const idFaults = (each: BlockProver, block: ProvableBlock): number =>
      each.prove(withoutIds(block)).faults.filter(({ code }) => code === 'transaction_id').length;
    const largest = hostile.find((block) => executedBytes(block) > 16 * MIB);
    if (!largest) throw new Error('the sample has no such block');
    expect(idFaults(new BlockProver(0), largest)).toBe(0);
    expect(idFaults(new BlockProver(1), largest)).toBe(1);
    expect(idFaults(new BlockProver(8 * MIB), largest)).toBeLessThan(idFaults(prover, largest));
  });

  it('names a bounded number of faults', () => {
    const most = Math.max(...hostile.map(withoutIds).map(({ transactions }) => transactions.length));
    const named = Math.max(...hostile.map(withoutIds).map((block) => prove(block).faults.length));
    expect(most).toBeGreaterThan(200);
    expect(named).toBeLessThan(110);
  });
});

/** The block with the id of another transaction in place of each. */
function withoutIds(block: ProvableBlock): ProvableBlock {
  return { ...block, transactions: block.transactions.map((each) => ({ ...each, id: '00'.repeat(32) })) };
}

const MIB = 1024 * 1024;

/** The size of the executed compressed transactions of a block when they are unpacked. */
function executedBytes({ block }: ProvableBlock): number {
  let bytes = 0;
  for (const { status, transaction } of readReceipts(block)) {
    if (status !== 0 || 'id' in transaction) continue;
    const parts = readPackedTransaction(transaction.packed);
    if (parts.compressed) bytes += unpackTransaction(parts).length;
  }
  return bytes;
}

describe('BlockProver, of a block that was altered', () => {
  const savanna = openRecording(sampleFolder('spring-savanna'), V1_MESSAGES_FILE);
  const blocks = [openSample('leap-edge'), openSample('eosio20-edge'), savanna]
    .flatMap(decodedBlocks)
    .filter(({ hasTraces, transactions }) => hasTraces && transactions.length > 1);
  const rounds = testSize({ usual: 500, long: 20_000 });

  const codesOf = (block: DecodedBlock): string[] => prove(packBlock(block)).faults.map(({ code }) => code);

  /** Whether the fault is found, as a fault or because the bytes do not decode. */
  function isFound(block: DecodedBlock): boolean {
    try {
      return prove(packBlock(block)).faults.length > 0;
    } catch (error) {
      if (error instanceof HistoryError) return error.code === 'DECODE_FAILED';
      throw error;
    }
  }

  it('finds a changed bit anywhere in its header and its transactions', () => {
    const random = createRandom(1);
    for (let round = 0; round < rounds; round++) {
      const original = blocks[random(blocks.length)] as DecodedBlock;
      const block = Buffer.from(original.block);
      const proved = provedBytes(block);
      const at = proved[random(proved.length)] as number;
      block[at] = (block[at] as number) ^ (1 << random(8));
      expect([original.position.num, at, isFound({ ...original, block })]).toEqual([original.position.num, at, true]);
    }
  });

  it('finds a changed bit in the data, the names, the receipts and the return values of its actions', () => {
    const random = createRandom(2);
    for (let round = 0; round < rounds; round++) {
      const original = blocks[random(blocks.length)] as DecodedBlock;
      const transactions = structuredClone(original.transactions).map(withBuffers);
      const { actions } = transactions[random(transactions.length)] as DecodedTransaction;
      const changed = alter(actions[random(actions.length)] as ActionRecord, random);
      expect([original.position.num, changed, isFound({ ...original, transactions })]).toEqual([
        original.position.num,
        changed,
        true,
      ]);
    }
  });

  it('finds nothing wrong when actions are not in the order of their sequences', () => {
    for (const block of blocks.slice(0, 200)) {
      const transactions = block.transactions.map((each) => ({ ...each, actions: each.actions.toReversed() }));
      expect(codesOf({ ...block, transactions: transactions.toReversed() })).toEqual([]);
    }
  });

  it('finds an action that is missing, and one that comes twice', () => {
    for (const block of blocks.slice(0, 200)) {
      const [first, ...others] = block.transactions as [DecodedTransaction, ...DecodedTransaction[]];
      const without = { ...first, actions: first.actions.slice(1) };
      expect(codesOf({ ...block, transactions: [without, ...others] })).toContain('action_mroot');
      const twice = { ...first, actions: [...first.actions, ...first.actions] };
      expect(codesOf({ ...block, transactions: [twice, ...others] })).toContain('action_mroot');
    }
  });

  it('finds a transaction that is missing, and one with the id of another', () => {
    const [block] = blocks as [DecodedBlock];
    const last = block.transactions.at(-1) as DecodedTransaction;
    const others = block.transactions.slice(0, -1);
    expect(codesOf({ ...block, transactions: others })).toEqual(['missing_transaction', 'action_mroot']);
    expect(codesOf({ ...block, transactions: [...others, { ...last, id: '00'.repeat(32) }] })).toEqual([
      'transaction_id',
    ]);
  });
});

/** Offsets of the bytes that the id or a root covers: all but the producer's signature and the block's extensions. */
function provedBytes(block: Buffer): number[] {
  const header = headerBytes(block).length;
  const { producerSignature, blockExtensions } = readSignedBlock(block);
  const extensions = blockExtensions.reduce((bytes, { data }) => bytes + data.length + 8, 1);
  return [...block.keys()].filter(
    (at) => at < header || (at >= header + producerSignature.length && at < block.length - extensions),
  );
}

/** `structuredClone` makes plain byte arrays of buffers. */
function withBuffers(transaction: DecodedTransaction): DecodedTransaction {
  for (const action of transaction.actions) {
    action.data = Buffer.from(action.data);
    for (const trace of action.traces) trace.returnValue = Buffer.from(trace.returnValue);
  }
  return transaction;
}

/** Changes one field of an action; returns its name. */
function alter(action: ActionRecord, random: Random): string {
  const trace = action.traces[random(action.traces.length)] as ActionTrace;
  const { receipt } = trace;
  const changes: Record<string, () => void> = {
    account: () => void (action.account = action.account === 'alice' ? 'bob' : 'alice'),
    name: () => void (action.name = action.name === 'a' ? 'b' : 'a'),
    authorization: () => void action.authorization.push({ actor: 'mallory', permission: 'active' }),
    data: () => void (action.data = Buffer.concat([action.data, Buffer.of(random(256))])),
    receiver: () => void (trace.receiver = trace.receiver === 'alice' ? 'bob' : 'alice'),
    actDigest: () => void (receipt.actDigest = receipt.actDigest.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))),
    globalSequence: () => void (receipt.globalSequence += 1),
    recvSequence: () => void (receipt.recvSequence += 1n),
    authSequence: () => void receipt.authSequence.push({ account: 'mallory', sequence: 1n }),
    codeSequence: () => void (receipt.codeSequence += 1),
    abiSequence: () => void (receipt.abiSequence += 1),
    returnValue: () => void (trace.returnValue = Buffer.concat([trace.returnValue, Buffer.of(random(256))])),
  };
  const names = Object.keys(changes);
  const name = names[random(names.length)] as string;
  changes[name]?.();
  return name;
}
