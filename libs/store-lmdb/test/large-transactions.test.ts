import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlockRecords } from '@antelope-history/records';
import type { ActionsQuery, SearchPause, StoredAction, StoreReader, StoreWriter } from '@antelope-history/store';
import { EMPTY_BLOCK, EVERY_ACTION, ModelHistory, packAction, SyntheticChain } from '@antelope-history/store/contract';
import type { Tables } from '../src/format/tables';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const ACTIONS = 3_000;
/** Bytes of the data of an action: the transaction has several hundred pages. */
const DATA_BYTES = 4_000;
/** Each row of `calm` shares its page with an action of this size. */
const LARGE_BYTES = 400 * 1024;
const EQUAL_TRANSACTIONS = 100;
/** The most steps of one part of a read: those after which it pauses, and those of a page. */
const MAX_STEPS = 40_000;

const PING = { account: 'spam', name: 'ping', actor: 'spam', notified: ['hot'], creatorDistance: 0, dataBytes: 8 };

const chain = new SyntheticChain();
const large = chain.block(undefined, {
  ...EMPTY_BLOCK,
  transactions: [
    Array.from({ length: ACTIONS }, (_, index) => ({ ...PING, creatorDistance: 2 * index, dataBytes: DATA_BYTES })),
  ],
});
/** Its children have their ordinals in the reverse order of their sequences, as those that a late action created early. */
reverseOrdinals(large);
const shared = chain.blocks(
  large,
  Array.from({ length: 20 }, () => ({
    ...EMPTY_BLOCK,
    transactions: [[{ ...PING, notified: ['calm'] }], [{ ...PING, notified: [], dataBytes: LARGE_BYTES }]],
  })),
);
const equal = chain.blocks(
  shared.at(-1),
  Array.from({ length: EQUAL_TRANSACTIONS }, () => ({ ...EMPTY_BLOCK, transactions: [[{ ...PING, notified: [] }]] })),
);
const EQUAL_ID = Buffer.alloc(32, 0xab);
/** That of the actions which share their pages with rows of `calm`. */
const LARGE_ID = Buffer.alloc(32, 0xcd);
for (const { transactions } of shared) transactions[1]!.id = LARGE_ID;
for (const { transactions } of equal) for (const transaction of transactions) transaction.id = EQUAL_ID;
/** As many actions as the large one has, in a few pages. */
const small = chain.block(equal.at(-1), {
  ...EMPTY_BLOCK,
  transactions: [
    Array.from({ length: ACTIONS }, (_, index) => ({ ...PING, notified: ['mild'], creatorDistance: 2 * index })),
  ],
});
const blocks = [large, ...shared, ...equal, small];

describe('a transaction that has more than a response', () => {
  const options = { path: mkdtempSync(path.join(tmpdir(), 'store-lmdb-large-')), mapSizeBytes: 0 };
  const model = ModelHistory.of(blocks);
  const transaction = large.transactions[0]!;
  let writer: StoreWriter;
  let reader: StoreReader;
  let pagesRead = 0;
  const { poolSize } = Buffer;
  beforeAll(async () => {
    // That of Node.js 20 to 24: small buffers share memory of 64 KB since Node.js 26, as much as several pages have.
    Buffer.poolSize = 8 * 1024;
    writer = await openLmdbStoreWriter(options);
    await writer.writeBlocks(blocks);
    reader = await openLmdbStoreReader(options);
    const { pages } = (reader as unknown as { tables: Tables }).tables;
    const getRange = pages.getRange.bind(pages);
    pages.getRange = (range) => getRange(range).map((entry) => (pagesRead++, entry));
  });
  beforeEach(() => (pagesRead = 0));
  afterAll(async () => {
    Buffer.poolSize = poolSize;
    await reader.close();
    await writer.close();
    rmSync(options.path, { recursive: true });
  });

  /** Counts the pauses of a read, each of which has to come in time. */
  function countingPause(): { pause: SearchPause; count: () => number } {
    let count = 0;
    const pause: SearchPause = (steps) => {
      count++;
      expect(steps).toBeLessThan(MAX_STEPS);
      return Promise.resolve();
    };
    return { pause, count: () => count };
  }
  const leave: SearchPause = () => Promise.reject(new Error('the client left'));
  const children: ActionsQuery = { ...EVERY_ACTION, parent: { sequence: transaction.firstSequence }, limit: 5 };

  it.each([0, 1, ACTIONS >> 1, ACTIONS - 1])('is read in parts for position %d of an account', async (position) => {
    const query = { account: 'hot', select: () => ({ first: position, last: position }) };
    const { pause, count } = countingPause();
    const page = await reader.getAccountTraces(query, pause);
    const expected = await model.getAccountTraces(query);
    expect(page.rows.map(placeOf)).toEqual(expected.rows.map(placeOf));
    expect(page.rows).toHaveLength(1);
    expect(count()).toBeGreaterThan(5);
    expect(bytesHeld(page.rows)).toBeLessThan(3 * DATA_BYTES);
    await expect(reader.getAccountTraces(query, leave)).rejects.toThrow('the client left');
  });

  it('is read in parts for a page of its traces, which ends where they fill it', async () => {
    const pausesOf = async (last: number): Promise<number> => {
      const query = { account: 'hot', select: () => ({ first: 0, last }) };
      const { pause, count } = countingPause();
      const page = await reader.getAccountTraces(query, pause);
      const expected = await model.getAccountTraces(query);
      expect([page.rows.map(placeOf), page.more]).toEqual([expected.rows.map(placeOf), expected.more]);
      expect(page.rows.length).toBeLessThan(ACTIONS);
      return count();
    };
    expect(await pausesOf(ACTIONS - 1)).toBeGreaterThan((await pausesOf(0)) + 5);
  });

  it.each(['asc', 'desc'] as const)('is read in parts for the actions that a trace created, %s', async (order) => {
    const { pause, count } = countingPause();
    const page = await reader.getActions({ ...children, order, skip: 7 }, pause);
    const expected = await model.getActions({ ...children, order, skip: 7 });
    expect([page.rows.map(placeOf), page.more]).toEqual([expected.rows.map(placeOf), true]);
    expect(count()).toBeGreaterThan(5);
    expect(bytesHeld(page.rows)).toBeLessThan(children.limit * 3 * DATA_BYTES);
    await expect(reader.getActions(children, leave)).rejects.toThrow('the client left');
  });

  it('is not read to find a trace of it as the parent in a window of positions', async () => {
    const conditions = { ...EVERY_ACTION, parent: { sequence: transaction.firstSequence + 2 * ACTIONS - 1 } };
    const query = { account: 'calm', select: () => ({ first: 0, last: 0 }), conditions };
    const page = await reader.getAccountTraces(query);
    expect(page.rows).toEqual([]);
    // Those of the trace, of the first action of its transaction and of the row.
    expect(pagesRead).toBeLessThanOrEqual(4);
  });

  it('is read in parts as a whole', async () => {
    const { pause, count } = countingPause();
    const id = transaction.id.toString('hex');
    const found = await reader.getTransaction(id, undefined, pause);
    expect(found.found === 'one' && found.transaction.actions).toHaveLength(ACTIONS);
    expect(count()).toBeGreaterThan(5);
    await expect(reader.getTransaction(id.slice(0, 10), undefined, leave)).rejects.toThrow('the client left');
  });

  it('is read in parts with its block', async () => {
    const { pause, count } = countingPause();
    const found = await reader.getBlockTraces({ num: large.position.num }, pause);
    expect(found.transactions.map(({ actions }) => actions.length)).toEqual([ACTIONS]);
    expect(count()).toBeGreaterThan(5);
    await expect(reader.getBlockTraces({ num: large.position.num }, leave)).rejects.toThrow('the client left');
  });

  it('is read in parts also where its many actions are small', async () => {
    const { pause, count } = countingPause();
    const found = await reader.getBlockTraces({ num: small.position.num }, pause);
    expect(found.transactions.map(({ actions }) => actions.length)).toEqual([ACTIONS]);
    expect(count()).toBeGreaterThan(2);
  });

  it('leaves to the rows beside its actions their own bytes only', async () => {
    const { rows } = await reader.getActions({ ...EVERY_ACTION, account: 'calm', limit: 1_000 });
    expect(rows).toHaveLength(20);
    expect(bytesHeld(rows)).toBeLessThan(LARGE_BYTES);
  });

  it('is the earliest of any number with its id, found without the others', async () => {
    const found = await reader.getTransaction(EQUAL_ID.toString('hex'));
    expect(found.found === 'one' && found.transaction.blockNum).toBe(equal[0]?.position.num);
    expect(pagesRead).toBeLessThan(5);
    expect(await reader.getTransaction('abababab')).toMatchObject({ found: 'one' });
  });

  it('is looked for in parts where the pages of all with its prefix are large', async () => {
    const { pause, count } = countingPause();
    expect(await reader.getTransaction('cdcdcdcd', undefined, pause)).toMatchObject({ found: 'one' });
    expect(count()).toBeGreaterThan(5);
    await expect(reader.getTransaction('cdcdcdcd', undefined, leave)).rejects.toThrow('the client left');
  });
});

/** Which trace or action a row is. */
function placeOf(row: StoredAction & { position?: number }) {
  const { action, position, ...facts } = row;
  return { ...facts, position, sequence: action.traces[0]?.receipt.globalSequence, data: action.data.length };
}

/** Bytes of memory that the rows keep from being freed. */
function bytesHeld(rows: readonly StoredAction[]): number {
  const memory = new Set(rows.map(({ action }) => action.data.buffer));
  return [...memory].reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}

/** Gives the actions after the first one their ordinals from the last one on. */
function reverseOrdinals({ transactions }: BlockRecords): void {
  for (const { actions, firstSequence } of transactions) {
    for (const [index, { sequence }] of actions.entries()) {
      const ordinal = index === 0 ? 1 : 1 + 2 * (ACTIONS - index);
      const plan = { ...PING, creatorDistance: ordinal - 1, dataBytes: DATA_BYTES };
      actions[index] = packAction(plan, { ordinal, sequence, firstSequence, abiSequence: 0 });
    }
  }
}
