import { testSize } from '@antelope-history/test-support/random';
import {
  AttackRun,
  ATTACKS,
  excesses,
  type Extent,
  generateHostileChain,
  HOSTILE_SAMPLE,
  HostileService,
  LIMITS,
  SHARED_MACHINE,
} from '../../src/hostile-chain';
import type { WrittenChain } from '../../src/hostile-chain/written-chain';

const EXTENT = testSize<Extent>({ usual: 'usual', long: 'long' });

describe('the recording of a hostile chain', () => {
  let written: WrittenChain;
  let lastBlock: number;
  let service: HostileService;

  beforeAll(async () => {
    const chain = generateHostileChain();
    written = chain.written;
    lastBlock = chain.head.num;
    service = await HostileService.start(HOSTILE_SAMPLE, lastBlock);
  }, 300_000);

  afterAll(() => service.stop(), 60_000);

  it('is indexed within the memory limit', () => {
    expect(service.peakMemory).toBeGreaterThan(0);
    expect(service.peakMemory).toBeLessThanOrEqual(LIMITS.residentBytes);
  });

  it.each(ATTACKS)(
    '$name: $aim',
    async (attack) => {
      const found: string[] = [];
      for await (const outcome of new AttackRun(service, written, EXTENT).run(attack)) {
        found.push(...excesses(outcome, SHARED_MACHINE));
      }
      expect(found).toEqual([]);
    },
    600_000,
  );
});
