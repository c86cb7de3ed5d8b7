import fc from 'fast-check';
import { costFrom, type Cost, type EmbeddedCosts, STAGES, type SuiteCosts, totalOf } from './costs';
import {
  findSaturation,
  instancesFor,
  recommendShards,
  SHARD_BYTES,
  type Site,
  sizeBackfill,
  sizeDisk,
  sizeEmbedded,
  sizeNodes,
  sizeShards,
  sizeStages,
} from './size-chain';

const GIB = 2 ** 30;
const DAY = 86_400;

const cost = (perBlock: number, perAction: number): Cost => ({ perBlock, perAction });
const measured = { blocks: 10, actions: 100, traces: 260 };
const SUITE: SuiteCosts = {
  chain: measured,
  diskBytes: { actions: cost(300, 160), blocks: cost(200, 0), bodies: cost(500, 50), others: cost(0, 1) },
  processorSeconds: {
    reader: cost(0.0002, 0.000004),
    rabbitmq: cost(0.0008, 0.000006),
    deserializer: cost(0.0004, 0.00001),
    indexer: cost(0.0005, 0.00003),
    elasticsearch: cost(0.0006, 0.00004),
  },
  memoryBytes: { reader: 1, deserializer: 2, indexer: 3 },
};
const EMBEDDED: EmbeddedCosts = {
  chain: measured,
  diskBytes: cost(700, 250),
  processorSeconds: cost(0.0001, 0.00002),
  busiestThreadSeconds: cost(0.00005, 0.00001),
  memoryBytes: 400,
};
const SITE: Site = {
  processors: 16,
  memoryBytes: 64 * GIB,
  replicas: 1,
  blocksPerIndex: 1_000_000,
  /** Ranges end by block numbers only. */
  actionsPerIndex: Infinity,
};
const LIMITED: Site = { ...SITE, actionsPerIndex: 200_000_000 };
const LARGE = { blocks: 400_000_000, actions: 100_000_000_000 };

const chains = fc.record({
  blocks: fc.integer({ min: 1, max: 1_000_000_000 }),
  actions: fc.integer({ min: 0, max: 1_000_000_000_000 }),
});
const suites = fc
  .array(fc.double({ min: 1e-7, max: 1e-2, noNaN: true }), { minLength: 10, maxLength: 10 })
  .map((values): SuiteCosts => {
    const seconds = STAGES.map((stage, index) => [stage, cost(values[2 * index] ?? 1, values[2 * index + 1] ?? 1)]);
    return { ...SUITE, processorSeconds: Object.fromEntries(seconds) as SuiteCosts['processorSeconds'] };
  });

describe('a cost from two measurements', () => {
  it('gives the measured totals again', () => {
    const found = costFrom({ blocks: 1_000, total: 5_000 }, { blocks: 10, actions: 100, total: 1_050 });
    expect(found).toEqual({ perBlock: 5, perAction: 10 });
    expect(totalOf(found, { blocks: 10, actions: 100 })).toBe(1_050);
  });

  it('is never negative, also when the blocks alone take more than the recording', () => {
    expect(costFrom({ blocks: 1, total: 100 }, { blocks: 10, actions: 100, total: 50 }).perAction).toBe(0);
  });
});

describe('the disk', () => {
  it('is the sum of all indices, once per copy, below the low watermark', () => {
    const { primaryBytes, withReplicasBytes, disksBytes } = sizeDisk(SUITE, { blocks: 10, actions: 1_000 }, SITE);
    expect(primaryBytes).toBe(10 * 1_000 + 1_000 * 211);
    expect(withReplicasBytes).toBe(2 * primaryBytes);
    expect(disksBytes).toBeCloseTo(withReplicasBytes / 0.85);
  });

  it('is twice as much for twice the chain, in both sets', () => {
    fc.assert(
      fc.property(chains, ({ blocks, actions }) => {
        const twice = { blocks: 2 * blocks, actions: 2 * actions };
        const bytes = (chain: typeof twice): number[] => [
          sizeDisk(SUITE, chain, SITE).disksBytes,
          sizeEmbedded(EMBEDDED, chain).diskBytes,
        ];
        const once = bytes({ blocks, actions });
        bytes(twice).forEach((size, index) => expect(size / (once[index] ?? 0)).toBeCloseTo(2));
      }),
    );
  });

  it('grows by the same for the same further actions', () => {
    const at = (actions: number): number => sizeDisk(SUITE, { blocks: 5, actions }, SITE).primaryBytes;
    expect(at(2_000) - at(1_000)).toBe(at(1_000) - at(0));
  });
});

describe('the embedded set', () => {
  it('takes as long as its busiest thread, and names the processors that the others keep busy', () => {
    const { days, processors, actionsPerSecond } = sizeEmbedded(EMBEDDED, { blocks: 0, actions: DAY * 1e5 });
    expect([days, processors]).toEqual([1, 2]);
    expect(actionsPerSecond).toBeCloseTo(1e5);
  });

  it('names a data file that ext4 can not hold', () => {
    expect(sizeEmbedded(EMBEDDED, LARGE)).toMatchObject({ exceedsExt4: true, exceedsMap: false });
    expect(sizeEmbedded(EMBEDDED, { blocks: 1, actions: 1 })).toMatchObject({ exceedsExt4: false });
  });
});

describe('the shards', () => {
  it('are those of each range, of the directory and of the indices that exist once', () => {
    expect(sizeShards(SUITE, LARGE, SITE)).toMatchObject({
      ranges: 400,
      indices: 3 * 400 + 7 + 4,
      shards: 2 * (3 * 400 + 7 + 4),
      largestKind: 'actions',
      averageBytes: 1_000_000 * (300 + 250 * 160),
      isWithinLimits: false,
    });
  });

  it('are recommended below the limit, as large as steps of 1, 2 and 5 allow', () => {
    const recommended = recommendShards(SUITE, LARGE, SITE);
    expect(recommended).toMatchObject({ blocksPerIndex: 500_000, isWithinLimits: true });
    expect(recommended.busiestBytes).toBeLessThanOrEqual(SHARD_BYTES);
  });

  it('have at most so many actions as the configuration says, and those of a few blocks more', () => {
    const { ranges, averageBytes, busiestBytes } = sizeShards(SUITE, LARGE, LIMITED);
    expect(ranges).toBe(400 + 502);
    const bytes = LARGE.blocks * 300 + LARGE.actions * 160;
    expect(averageBytes).toBeCloseTo(bytes / ranges);
    const share = 200_000_000 / (LARGE.actions + LARGE.blocks) + (2 * 10_000) / LARGE.blocks;
    expect(busiestBytes).toBeCloseTo(bytes * share);
    expect(sizeShards(SUITE, { blocks: 1_000_000, actions: 1_000 }, LIMITED)).toMatchObject({ ranges: 1 });
  });

  it('never have more in an index than the chain has', () => {
    const { averageBytes, busiestBytes } = sizeShards(SUITE, { blocks: 10, actions: 100 }, SITE);
    expect([averageBytes, busiestBytes]).toEqual([10 * 300 + 100 * 160, 10 * 300 + 100 * 160]);
  });

  it('are within the limit with the recommendation, for any chain that has one', () => {
    fc.assert(
      fc.property(chains, (chain) => {
        for (const site of [SITE, LIMITED]) {
          const { blocksPerIndex, isWithinLimits } = recommendShards(SUITE, chain, site);
          expect(isWithinLimits || blocksPerIndex === 1).toBe(true);
        }
      }),
    );
  });
});

describe('the nodes', () => {
  it('follow the data by memory, with at most 31 GiB of heap', () => {
    const disk = { primaryBytes: 1, withReplicasBytes: 64 * GIB * 30 * 10, disksBytes: 1_000 };
    const nodes = sizeNodes(disk, { ...sizeShards(SUITE, LARGE, SITE), indices: 6_000, shards: 1 }, SITE);
    expect(nodes).toEqual({
      heapBytes: 31 * GIB,
      indicesHeapBytes: 2 * GIB,
      hotNodes: 10,
      warmNodes: 3,
      hotDiskBytes: 100,
      warmDiskBytes: 1_000 / 3,
    });
  });

  it('are as many as the shards need, and three with replicas', () => {
    const disk = { primaryBytes: 1, withReplicasBytes: 1, disksBytes: 1 };
    const shards = sizeShards(SUITE, { blocks: 1, actions: 1 }, SITE);
    expect(sizeNodes(disk, shards, SITE).hotNodes).toBe(3);
    expect(sizeNodes(disk, shards, { ...SITE, replicas: 0 }).hotNodes).toBe(1);
    expect(sizeNodes(disk, { ...shards, shards: 4_001 }, SITE).hotNodes).toBe(5);
  });
});

describe('a backfill', () => {
  it('divides the processor time by the processors while no stage is full', () => {
    const stages = sizeStages(SUITE, { blocks: 0, actions: 1e10 }, 0);
    const all = 1e10 * 0.00009;
    const { days, limit, busyProcessors } = sizeBackfill(stages, 1, 4);
    expect(limit).toBe('processors');
    expect(days * DAY).toBeCloseTo(all / (4 * 0.7));
    expect(Object.values(busyProcessors).reduce((sum, busy) => sum + busy, 0)).toBeCloseTo(4 * 0.7);
  });

  it('ends at the stage that can not use more processors', () => {
    const stages = sizeStages(SUITE, { blocks: 0, actions: 1e10 }, 0);
    const found = findSaturation(stages, 16);
    expect(found).toMatchObject({ first: { stage: 'elasticsearch' }, last: { stage: 'reader' } });
    expect(found.lastActionsPerSecond).toBeCloseTo(250_000);
    const enough = sizeBackfill(stages, found.lastMachines, 16);
    expect(enough).toMatchObject({ limit: 'reader' });
    expect(enough.days).toBeCloseTo(found.lastDays);
    if (found.lastMachines > 1) expect(sizeBackfill(stages, found.lastMachines - 1, 16).limit).toBe('processors');
  });

  it('takes the work of Elasticsearch once more for each replica', () => {
    const secondsOf = (replicas: number): number[] =>
      sizeStages(SUITE, LARGE, replicas).map(({ processorSeconds }) => processorSeconds);
    const [without, withOne] = [secondsOf(0), secondsOf(1)];
    expect(withOne.slice(0, -1)).toEqual(without.slice(0, -1));
    expect(withOne.at(-1)).toBe(2 * (without.at(-1) ?? 0));
  });

  it('never takes longer with more machines, more processors or fewer replicas', () => {
    const count = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(suites, chains, count, count, count, (suite, chain, machines, more, processors) => {
        const days = (replicas: number, number: number, each: number): number =>
          sizeBackfill(sizeStages(suite, chain, replicas), number, each).days;
        const least = days(1, machines, processors);
        expect(days(1, machines + more, processors)).toBeLessThanOrEqual(least);
        expect(days(1, machines, processors + more)).toBeLessThanOrEqual(least);
        expect(days(0, machines, processors)).toBeLessThanOrEqual(least);
      }),
    );
  });

  it('never takes less for more actions, and keeps no more processors busy than there are', () => {
    const count = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(suites, chains, count, (suite, chain, machines) => {
        const { days, busyProcessors } = sizeBackfill(sizeStages(suite, chain, 0), machines, 16);
        const longer = { ...chain, actions: chain.actions * 2 + 1 };
        expect(sizeBackfill(sizeStages(suite, longer, 0), machines, 16).days).toBeGreaterThanOrEqual(days);
        const busy = Object.values(busyProcessors).reduce((sum, each) => sum + each, 0);
        expect(busy).toBeLessThanOrEqual(machines * 16 * 0.7 + 1e-6);
        expect(busyProcessors.reader).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });

  it('needs at least one process of each app', () => {
    expect([0.01, 0.7, 0.71, 7].map(instancesFor)).toEqual([1, 1, 2, 10]);
  });
});
