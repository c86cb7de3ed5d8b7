import type { BlockRecords } from '@antelope-history/records';
import { createRecording, openSample, type Recording } from '@antelope-history/test-support/recordings';
import { recordedBlocks } from '../recorded-blocks';
import { continueChain } from './continued-chain';

const ROUNDS = 3;

describe('a continued recording', () => {
  const recorded = withoutForks(openSample('leap-edge'));
  const { recording, transactionId } = continueChain(recorded, ROUNDS);
  const blocks = recordedBlocks(recording);
  const perRound = recorded.messages.length - 1;

  it('begins with the recording itself, and repeats all but its first block', () => {
    expect(blocks.length).toBe(1 + ROUNDS * perRound);
    expect(recordedBlocks(recorded)).toEqual(blocks.slice(0, 1 + perRound));
  });

  it('is one chain: each block names the one before it, a later time and later sequences', () => {
    let nextSequence = 1;
    for (const [index, { position, previous, block, timestamp, transactions }] of blocks.entries()) {
      const before = blocks[index - 1];
      expect(previous).toEqual(before?.position);
      if (!before) continue;
      expect(position.num).toBe(before.position.num + 1);
      expect(parseInt(position.id.slice(0, 8), 16)).toBe(position.num);
      expect(block?.subarray(14, 46).toString('hex')).toBe(before.position.id);
      expect(timestamp).toBeGreaterThan(before.timestamp);
      for (const { firstSequence, sequenceCount } of transactions) {
        expect(firstSequence).toBeGreaterThanOrEqual(nextSequence);
        nextSequence = firstSequence + sequenceCount;
      }
    }
  });

  it('has the recorded transactions in each round, with ids of their own', () => {
    const ids = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ id }) => id.toString('hex'))));
    expect(ids.size).toBe(blocks.reduce((sum, { transactions }) => sum + transactions.length, 0));
    for (const [index, { transactions }] of blocks.entries()) {
      const round = Math.floor(Math.max(0, index - 1) / perRound);
      const original = blocks[index - round * perRound]?.transactions ?? [];
      expect(transactions.map(contentOf)).toEqual(original.map(contentOf));
      expect(transactions.map(({ id }) => id.toString('hex'))).toEqual(
        original.map(({ id }) => transactionId(id.toString('hex'), round)),
      );
    }
  });
});

/** The branch on which a recording ends. */
function withoutForks({ abi, messages }: Recording): Recording {
  const branch = messages.slice(-1);
  for (const message of messages.toReversed()) {
    if (message.thisBlock?.id === branch[0]?.prevBlock?.id) branch.unshift(message);
  }
  return createRecording(
    abi,
    branch.map(({ bytes }) => bytes),
  );
}

/** A transaction without what differs between rounds. */
function contentOf(transaction: BlockRecords['transactions'][number]): object {
  const { id: _id, firstSequence, partial, actions, ...rest } = transaction;
  return {
    ...rest,
    partial: partial && { ...partial, id: undefined },
    actions: actions.map(({ sequence, bytes, ...action }) => ({
      ...action,
      sequence: sequence - firstSequence,
      bytes: bytes.toString('hex'),
    })),
  };
}
