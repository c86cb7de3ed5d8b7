import { testSize } from '@antelope-history/test-support/random';
import { openRecording } from '@antelope-history/test-support/recordings';
import {
  AttackRun,
  ATTACKS,
  excesses,
  type Extent,
  generateHostileChain,
  HOSTILE_SAMPLE,
  type HostileChain,
  HostileService,
  LIMITS,
  SHARED_MACHINE,
} from '../../src/hostile-chain';

const EXTENT = testSize<Extent>({ usual: 'usual', long: 'long' });

/** Generated once for all tests of this file: it takes longer than most of them. */
let chain: HostileChain;

beforeAll(() => {
  chain = generateHostileChain();
}, 300_000);

describe('the sample', () => {
  const { messages } = openRecording(HOSTILE_SAMPLE);

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

describe('the recording of a hostile chain', () => {
  let service: HostileService;

  beforeAll(async () => {
    service = await HostileService.start(HOSTILE_SAMPLE, chain.head.num);
  }, 300_000);

  afterAll(() => service.stop());

  it('is indexed within the memory limit', () => {
    expect(service.peakMemory).toBeGreaterThan(0);
    expect(service.peakMemory).toBeLessThanOrEqual(LIMITS.residentBytes);
  });

  it.each(ATTACKS)(
    '$name: $aim',
    async (attack) => {
      const found: string[] = [];
      for await (const outcome of new AttackRun(service, chain.written, EXTENT).run(attack)) {
        found.push(...excesses(outcome, SHARED_MACHINE));
      }
      expect(found).toEqual([]);
    },
    600_000,
  );
});
