import { openRecording } from '@antelope-history/test-support/recordings';
import { generateHostileChain, HOSTILE_SAMPLE } from '../../src/hostile-chain';

describe('the sample', () => {
  const { messages } = openRecording(HOSTILE_SAMPLE);
  const chain = generateHostileChain();

  it('is equal to the output of the generator', () => {
    expect(messages).toHaveLength(chain.messages.length);
    messages.forEach(({ bytes, thisBlock }, index) => {
      const isSame = bytes.equals(chain.messages[index] as Buffer);
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
