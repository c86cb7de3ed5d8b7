import { describeWithService } from '@antelope-history/servers';
import type { BlockRecords } from '@antelope-history/records';
import type { ActionsQuery, Bound } from '@antelope-history/store';
import {
  type BlockPlan,
  Comparison,
  EMPTY_BLOCK,
  EVERY_ACTION,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { IndexedBlocks, NO_DATA_FIELDS } from './indexed-blocks';
import { RoundTrips } from './round-trips';

const BLOCKS = 120;
const PER_RANGE = 2;
const RANGES = BLOCKS / PER_RANGE;
/** Blocks without actions: of one block, of a range, of more ranges than are searched at first, and at both ends of the chain. */
const EMPTY = [
  [0, 4],
  [12, 13],
  [20, 24],
  [40, 86],
  [116, 120],
] as const;
/** The index of a block with actions. */
const BUSY = 5;
const PING = { account: 'busy', name: 'ping', actor: 'busy', notified: [], creatorDistance: 0, dataBytes: 8 };
const SLOT_MS = 500;
const EPOCH_MS = Date.UTC(2000, 0);

/** The bounds at a block, and between it and the blocks beside it. */
function boundsAt({ position, timestamp }: BlockRecords): Bound[] {
  const times = [-0.5, 0, 0.5].map((slots) => ({ timeMs: EPOCH_MS + (timestamp + slots) * SLOT_MS }));
  return [{ blockNum: position.num }, ...times];
}

async function compareAt(comparison: Comparison, bound: Bound): Promise<void> {
  const query: ActionsQuery = { ...EVERY_ACTION, account: 'busy', limit: 3 };
  await comparison.actions({ ...query, after: bound, order: 'asc' });
  await comparison.actions({ ...query, before: bound, order: 'desc' });
}

/** Ranges of 2 blocks, so that nearly every bound is in another one; every second slot has no block. */
describeWithService(['elasticsearch'], (url) => {
  let indexed: IndexedBlocks;
  let blocks: BlockRecords[];
  let comparison: Comparison;

  beforeAll(async () => {
    const chain = new SyntheticChain();
    blocks = chain.blocks(undefined, Array.from({ length: BLOCKS }, planOf));
    indexed = await IndexedBlocks.open(url, PER_RANGE);
    // A branch that was undone, with fewer actions.
    await indexed.put(
      chain.blocks(blocks.at(-10), Array<BlockPlan>(9).fill({ ...EMPTY_BLOCK, transactions: [[PING]] })),
    );
    comparison = await commit(indexed, blocks);
  }, 240_000);
  afterAll(() => indexed.dispose());

  const WITHOUT_A_BLOCK: Bound[] = [
    { blockNum: -5 },
    { blockNum: 0 },
    { blockNum: 1e12 },
    { timeMs: 0 },
    { timeMs: Date.UTC(2200, 0) },
  ];

  it('finds the actions from and up to every block and time', async () => {
    for (const bound of [...blocks.filter((_, index) => index % 2 === 0).flatMap(boundsAt), ...WITHOUT_A_BLOCK]) {
      await compareAt(comparison, bound);
    }
  }, 240_000);

  it('finds the actions between two bounds, also where no block has any', async () => {
    const bounds = blocks.filter((_, index) => index % 13 === 0).flatMap((block) => boundsAt(block).slice(0, 2));
    for (const after of bounds) {
      for (const before of bounds)
        await comparison.actions({ ...EVERY_ACTION, account: 'busy', limit: 3, after, before });
    }
  }, 240_000);

  it('searches few ranges for a bound at a block, and more only where none has actions or slots have no block', async () => {
    const trips = new RoundTrips(indexed.client);
    const cost = async (query: Partial<ActionsQuery>) => {
      await indexed.reader.getStatus();
      const { depth, indices } = await trips.of(() =>
        indexed.reader.getActions({ ...EVERY_ACTION, limit: 1, ...query }),
      );
      return { depth, searched: indices.filter((index) => index.includes('-blocks-')).length };
    };
    const atBlock = (index: number): Bound => ({ blockNum: blocks[index]!.position.num });
    const atTime = (index: number): Bound => ({ timeMs: EPOCH_MS + blocks[index]!.timestamp * SLOT_MS });
    const cases: [Partial<ActionsQuery>, depth: number, searched: number][] = [
      [{ after: atBlock(30) }, 2, 4],
      [{ before: atBlock(30) }, 2, 4],
      [{ after: atBlock(26), before: atBlock(30) }, 2, 2 * 4],
      [{ after: atBlock(50) }, 3, 4 + 16],
      [{ before: atBlock(70) }, 3, 4 + 16],
      [{ after: atTime(115) }, 2, 4],
      [{ before: atTime(115) }, 3, 2 * 5],
      [{ after: atTime(6) }, 4, 4 + 16 + RANGES],
      [{ before: atTime(6) }, 4, 2 * (4 + 16 + RANGES)],
    ];
    for (const [query, depth, searched] of cases) {
      const cheapest = await leastOf(3, () => cost(query));
      expect({ query, ...cheapest }).toEqual({
        query,
        depth: Math.min(cheapest.depth, depth),
        searched: Math.min(cheapest.searched, searched),
      });
    }
  });
});

describeWithService(['elasticsearch'], (url) => {
  /** A chain with a block in every slot; its ranges have one block. */
  async function compareShort(change: (blocks: BlockRecords[]) => BlockRecords[]): Promise<void> {
    const plans = Array.from({ length: 12 }, () => planOf(undefined, BUSY));
    const made = new SyntheticChain().blocks(undefined, plans);
    const first = made[0]!.timestamp;
    const even = made.map((block, index) => ({ ...block, timestamp: first + index }));
    const blocks = change(even);
    const indexed = await IndexedBlocks.open(url, 1);
    try {
      const comparison = await commit(indexed, blocks);
      for (const bound of even.flatMap(boundsAt)) await compareAt(comparison, bound);
    } finally {
      await indexed.dispose();
    }
  }

  // The block of a time is the lowest one that it can be: no range before it is searched.
  it('finds the actions from and up to every block and time of a chain with a block in every slot', async () => {
    await compareShort((blocks) => blocks);
  }, 240_000);

  it('finds them also where the node did not send the newest block, whose time is unknown', async () => {
    await compareShort((blocks) => [
      ...blocks.slice(0, -1),
      { ...blocks.at(-1)!, block: undefined, timestamp: 0, transactions: [] },
    ]);
  }, 240_000);
});

async function commit(indexed: IndexedBlocks, blocks: readonly BlockRecords[]): Promise<Comparison> {
  await indexed.put(blocks);
  await indexed.commit({ blocks, cleanUpTo: blocks.at(-10)!.position.num });
  return new Comparison(indexed.reader, ModelHistory.of(blocks, NO_DATA_FIELDS));
}

/** A query on a slow machine waits for the progress, too, which was read too long ago. */
async function leastOf(tries: number, call: () => Promise<{ depth: number; searched: number }>) {
  let least = await call();
  for (let tried = 1; tried < tries; tried++) {
    const next = await call();
    if (next.depth < least.depth) least = next;
  }
  return least;
}

function planOf(_: unknown, index: number): BlockPlan {
  if (EMPTY.some(([from, to]) => index >= from && index < to)) return EMPTY_BLOCK;
  return { ...EMPTY_BLOCK, transactions: [[PING, PING]] };
}
