import { openRecording } from '@antelope-history/test-support/recordings';
import { generateHostileChain, HOSTILE_SAMPLE } from '../../src/hostile-chain';

describe('the sample', () => {
  const { messages } = openRecording(HOSTILE_SAMPLE);
  const chain = generateHostileChain();

  it('is what the generator writes, but for how zlib packs transactions', () => {
    expect(messages).toHaveLength(chain.messages.length);
    messages.forEach(({ bytes, thisBlock, traces, deltas }, index) => {
      const made = chain.messages[index] as Buffer;
      // From the end: the block before them may be longer or shorter.
      const fromTraces = bytes.subarray(traces.flag, deltas.end);
      const isSame = made.subarray(made.length - fromTraces.length).equals(fromTraces);
      expect([thisBlock?.num, isSame]).toEqual([thisBlock?.num, true]);
    });
  });

  it('goes back where an attack is a fork', () => {
    const nums = messages.map(({ thisBlock }) => thisBlock?.num ?? 0);
    expect(nums.filter((num, index) => num <= (nums[index - 1] ?? 0))).toHaveLength(3);
  });

  it('asks for every block and transaction of the branch that stays', () => {
    const { blocks, transactions } = chain.written;
    const nums = blocks.map(({ num }) => num);
    expect(nums).toEqual(nums.map((_, index) => (nums[0] ?? 0) + index));
    expect(new Set(transactions.map(({ id }) => id)).size).toBe(transactions.length);
  });
});
