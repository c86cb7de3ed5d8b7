import { openRecording } from '@antelope-history/test-support/recordings';
import { generateHostileChain, HOSTILE_SAMPLE } from '../../src/hostile-chain';

describe('the sample', () => {
  const { messages } = openRecording(HOSTILE_SAMPLE);
  const chain = generateHostileChain();

  it('is equal to the output of the generator, except for the compression of transactions', () => {
    expect(messages).toHaveLength(chain.messages.length);
    messages.forEach(({ bytes, thisBlock, traces, deltas }, index) => {
      const made = chain.messages[index] as Buffer;
      // Compared from the end, because the compressed block before may differ in length.
      const fromTraces = bytes.subarray(traces.flag, deltas.end);
      const isSame = made.subarray(made.length - fromTraces.length).equals(fromTraces);
      expect([thisBlock?.num, isSame]).toEqual([thisBlock?.num, true]);
    });
  });

  it('has the forks of the attacks', () => {
    const nums = messages.map(({ thisBlock }) => thisBlock?.num ?? 0);
    expect(nums.filter((num, index) => num <= (nums[index - 1] ?? 0))).toHaveLength(3);
  });

  it('lists every block and transaction of the final branch', () => {
    const { blocks, transactions } = chain.written;
    const nums = blocks.map(({ num }) => num);
    expect(nums).toEqual(nums.map((_, index) => (nums[0] ?? 0) + index));
    expect(new Set(transactions.map(({ id }) => id)).size).toBe(transactions.length);
  });
});
