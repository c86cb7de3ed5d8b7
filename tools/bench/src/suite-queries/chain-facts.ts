import { createHash } from 'node:crypto';
import { publicKeyToString } from '@antelope-history/abi';
import type { BlockRecords } from '@antelope-history/records';
import type { ChainFacts } from './suite-cases';

/** An account that no block names. */
const ABSENT = 'absent.nobdy';
/** The most rows of a sparse list: all of them fit on a page. */
const FEW_ROWS = 20;

/** What the blocks say, for the cases; without the facts of a layout. */
export type RecordedFacts = Omit<ChainFacts, 'prefix' | 'blocksPerIndex' | 'deep'> & {
  /** The active account's rows, ascending. */
  activeRows: readonly RowPlace[];
};

interface RowPlace {
  blockNum: number;
  sequence: number;
}

/** Counts the rows of each account, and gathers keys and transactions. */
export function readFacts(blocks: readonly BlockRecords[]): RecordedFacts {
  const rows = new Map<string, RowPlace[]>();
  const filtered = new Map<string, { account: string; filter: string; nums: number[] }>();
  const transactions: { id: string; blockNum: number }[] = [];
  const keys = new Map<string, Buffer>();
  for (const block of blocks) {
    const { num } = block.position;
    for (const transaction of block.transactions) {
      transactions.push({ id: transaction.id.toString('hex'), blockNum: num });
      for (const { accounts, account: contract, name, sequence } of transaction.actions) {
        for (const account of accounts) {
          push(rows, account, { blockNum: num, sequence });
          const filter = `${contract}:${name}`;
          const list = filtered.get(`${account} ${filter}`) ?? { account, filter, nums: [] };
          filtered.set(`${account} ${filter}`, list);
          list.nums.push(num);
        }
      }
    }
    for (const { authority } of block.permissionChanges) {
      for (const key of authority?.keys ?? []) keys.set(key.toString('hex'), key);
    }
  }
  const active = [...rows].sort(([, left], [, right]) => right.length - left.length)[0];
  // Of the lists with few rows, the one whose rows are in the most blocks.
  const sparse = [...filtered.values()]
    .filter(({ nums }) => nums.length <= FEW_ROWS)
    .sort((left, right) => new Set(right.nums).size - new Set(left.nums).size)[0];
  const key = [...keys.values()].at(-1);
  if (!active || !sparse || !key) throw new Error('the recording is too small');
  return {
    active: active[0],
    activeRows: active[1],
    sparse: { account: sparse.account, filter: sparse.filter, blocks: sparse.nums },
    absent: ABSENT,
    key: { text: publicKeyToString(key), term: createHash('sha256').update(key).digest('hex') },
    transactions: spread(transactions),
    newestBlock: active[1].at(-1)?.blockNum ?? 0,
  };
}

function push(lists: Map<string, RowPlace[]>, key: string, row: RowPlace): void {
  const list = lists.get(key);
  if (list) list.push(row);
  else lists.set(key, [row]);
}

/** The facts of a layout: where the row at a position is. */
export function factsOfLayout(facts: RecordedFacts, prefix: string, blocksPerIndex: number, pos: number): ChainFacts {
  const { activeRows, ...rest } = facts;
  const { blockNum = 0, sequence = 0 } = activeRows.at(-1 - pos) ?? {};
  return { ...rest, prefix, blocksPerIndex, deep: { pos, blockNum, sequence } };
}

/** In an order in which neighbours are of blocks far apart; each once. */
function spread<T>(items: readonly T[]): T[] {
  const step = 7_919;
  const used = new Set<number>();
  const result: T[] = [];
  for (let index = 0; result.length < items.length; index = (index + step) % items.length) {
    while (used.has(index)) index = (index + 1) % items.length;
    used.add(index);
    result.push(items[index] as T);
  }
  return result;
}
