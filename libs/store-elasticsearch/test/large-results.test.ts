import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  EVERY_ACTION,
  Comparison,
  ModelHistory,
  SyntheticChain,
  type ActionPlan,
  type BlockPlan,
} from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import { IndexedBlocks, NO_DATA_FIELDS } from './indexed-blocks';

/** More than the 10,000 that one search returns; divisible by 6. */
const OWNERS = testSize({ usual: 12_000, long: 30_000 });
const EMPTY: BlockPlan = { transactions: [], abis: [], permissions: [] };
const PING: ActionPlan = {
  account: 'hot',
  name: 'ping',
  actor: 'hot',
  notified: [],
  creatorDistance: 0,
  dataBytes: 8,
};

describeWithService(['elasticsearch'], (url) => {
  let indexed: IndexedBlocks;
  beforeEach(async () => {
    indexed = await IndexedBlocks.open(url);
  });
  afterEach(() => indexed.dispose());

  /** Indexes and commits the blocks; the first half is clean. */
  async function commit(blocks: readonly BlockRecords[]): Promise<Comparison> {
    await indexed.put(blocks);
    await indexed.commit({ blocks, cleanUpTo: blocks[blocks.length >> 1]!.position.num });
    return new Comparison(indexed.reader, ModelHistory.of(blocks, NO_DATA_FIELDS));
  }

  it('returns a block of 25,000 actions and its transactions completely', async () => {
    const parent = { ...PING, notified: ['cold'] };
    const children = Array.from({ length: 11_999 }, (_, index) => ({ ...PING, creatorDistance: index + 1 }));
    const transactions = [[parent, ...children], [PING], children.map(() => PING), [parent, ...children.slice(0, 999)]];
    const [before, block, after] = new SyntheticChain().blocks(undefined, [EMPTY, { ...EMPTY, transactions }, EMPTY]);
    const comparison = await commit([before!, block!, after!]);
    await comparison.block('latest');
    await comparison.block({ id: block!.position.id });
    for (const { id } of block!.transactions) await comparison.transaction(id.toString('hex'));
    const [first] = block!.transactions;
    for (const order of ['asc', 'desc'] as const) {
      for (const skip of [0, 11_000, 12_500]) {
        await comparison.actions({ ...EVERY_ACTION, parent: { sequence: first!.firstSequence }, order, skip });
      }
    }
  }, 120_000);

  it('knows the ABI in force among thousands of versions of one contract', async () => {
    const plans = Array.from({ length: 3_000 }, (_, index): BlockPlan => ({
      ...EMPTY,
      transactions: [[PING, PING, PING]],
      abis: [
        { account: 'hot', abi: Buffer.from(index % 7 === 0 ? '' : `one ${index}`) },
        { account: 'hot', abi: Buffer.from(`two ${index}`) },
        ...(index % 500 === 0 ? [{ account: 'cold', abi: Buffer.from(`cold ${index}`) }] : []),
      ],
    }));
    const blocks = new SyntheticChain().blocks(undefined, plans);
    const comparison = await commit(blocks);
    await comparison.abisOf(blocks.filter((_, index) => index % 50 === 0));
    const sampled = blocks.filter((_, index) => index % 101 === 0);
    await comparison.abis(
      sampled.flatMap(({ position: { num }, transactions }) => [
        { account: 'cold', blockNum: num, sequence: transactions[0]!.firstSequence },
        { account: 'hot', blockNum: num, sequence: transactions[0]!.firstSequence + 1 },
        { account: 'none', blockNum: num, sequence: 1 },
      ]),
    );
  }, 120_000);

  it('counts an ABI without a sequence from the beginning of its block', async () => {
    const [one, two, three] = new SyntheticChain().blocks(undefined, [
      { ...EMPTY, transactions: [[PING]] },
      { ...EMPTY, transactions: [[PING]], abis: [{ account: 'hot', abi: Buffer.from('late') }] },
      { ...EMPTY, transactions: [[PING]] },
    ]);
    two!.abiChanges.unshift({ account: 'hot', sequence: 0, abi: Buffer.from('from the beginning') });
    const comparison = await commit([one!, two!, three!]);
    await comparison.abisOf([one!, two!, three!]);
  });

  it(`finds all ${OWNERS} accounts that still hold a key`, async () => {
    const key = Buffer.alloc(34, 1);
    const other = Buffer.alloc(34, 2);
    const owners = Array.from({ length: OWNERS }, (_, index) => `exchange${letters(index)}`);
    const having = (keys: Buffer[]) => (owner: string) => [
      { owner, name: 'owner', authority: { keys, actors: ['exchange'] } },
      { owner, name: 'active', authority: { keys: [other], actors: [] } },
    ];
    const blocks = new SyntheticChain().blocks(undefined, [
      { ...EMPTY, permissions: owners.flatMap(having([key])) },
      { ...EMPTY, permissions: owners.filter((_, index) => index % 3 === 0).flatMap(having([other])) },
      { ...EMPTY, permissions: owners.filter((_, index) => index % 6 === 0).flatMap(having([other, key])) },
    ]);
    for (const [count, expected] of [
      [1, OWNERS],
      [2, (OWNERS * 2) / 3],
      [3, (OWNERS * 5) / 6],
    ] as const) {
      const comparison = await commit(blocks.slice(0, count));
      await comparison.keyAccounts(key);
      await comparison.controlledAccounts('exchange');
      expect((await indexed.reader.getKeyAccounts(key)).accounts).toHaveLength(expected);
    }
  }, 120_000);

  it('finds the accounts that have always held a key among those that released it or hold it beside another one', async () => {
    const key = Buffer.alloc(34, 1);
    const other = Buffer.alloc(34, 2);
    const owners = Array.from({ length: 120 }, (_, index) => `account${letters(index)}`);
    const permission = (owner: string, name: string, keys: Buffer[]) => ({
      owner,
      name,
      authority: { keys, actors: [] },
    });
    const [always, released, beside] = [0, 1, 2].map((kind) => owners.filter((_, index) => index % 3 === kind)) as [
      string[],
      string[],
      string[],
    ];
    const comparison = await commit(
      new SyntheticChain().blocks(undefined, [
        { ...EMPTY, permissions: owners.map((owner) => permission(owner, 'owner', [key])) },
        { ...EMPTY, permissions: always.map((owner) => permission(owner, 'active', [key])) },
        { ...EMPTY, permissions: released.map((owner) => permission(owner, 'owner', [other])) },
        { ...EMPTY, permissions: beside.map((owner) => permission(owner, 'active', [other])) },
      ]),
    );
    await comparison.keyAccounts(key);
    await comparison.keyAccounts(other);
    expect((await indexed.reader.getKeyAccounts(key)).accounts).toEqual([...always, ...beside].sort());
  });
});

/** The directory takes 100 blocks, 500 accounts and 5,000 transactions at once. */
describeWithService(['elasticsearch'], (url) => {
  it('finds the rows and transactions of a range with many blocks, accounts and transactions by the directory', async () => {
    const perRange = 102;
    const accounts = Array.from({ length: 650 }, (_, index) => `user${letters(index)}`);
    const ofAccounts = accounts.map((account) => [{ ...PING, account }]);
    const full: BlockPlan = { ...EMPTY, transactions: Array.from({ length: 4 }, () => ofAccounts).flat() };
    const last: BlockPlan = { ...EMPTY, transactions: [[{ ...PING, account: 'last' }]] };
    const plans = Array.from({ length: 2 * perRange + 10 }, () => EMPTY);
    // The first whole range: that of the chain's first blocks has two of them, and the next one is searched without the directory.
    plans.splice(2, 2, full, full);
    plans.splice(1 + perRange, 1, last);
    const blocks = new SyntheticChain().blocks(undefined, plans);
    const indexed = await IndexedBlocks.open(url, perRange);
    try {
      await indexed.put(blocks);
      await indexed.commit({ blocks, cleanUpTo: 3 * perRange });
      while (await indexed.directoryBuilder().addNext());
      const comparison = new Comparison(indexed.reader, ModelHistory.of(blocks, NO_DATA_FIELDS));
      for (const account of [...accounts.filter((_, index) => index % 50 === 0), 'last'])
        await comparison.actions({ ...EVERY_ACTION, account, order: 'desc' });
      const transactions = [
        ...blocks[2]!.transactions,
        ...blocks[3]!.transactions,
        ...blocks[1 + perRange]!.transactions,
      ];
      expect(transactions).toHaveLength(5_201);
      for (const { id } of transactions.filter((_, index) => index % 100 === 0))
        await comparison.transaction(id.toString('hex'));
    } finally {
      await indexed.dispose();
    }
  }, 120_000);
});

/** Encodes a number in letters that names may have. */
function letters(index: number): string {
  return index
    .toString(16)
    .padStart(4, '0')
    .replace(/[0-9a-f]/g, (digit) => 'abcdefghijklmnop'.charAt(parseInt(digit, 16)));
}
