import type { Bound } from '@antelope-history/schemas';
import type { BlockLookup, ChainStatus } from '@antelope-history/store';
import { toDataConditions } from './data-conditions';

const SECOND = 2;
const FROM = 500;
/** Slots since 2000-01-01 of block 500. */
const SLOT = 1_000 * SECOND;
const timeMs = (seconds: number): number => Date.UTC(2000, 0, 1) + seconds * 1_000;

const packed = Buffer.alloc(4);
packed.writeUInt32LE(SLOT);
const status = {
  firstBlockNum: 100,
  dataFields: { 'eosio.token:transfer.to': 100, 'other:transfer.to': 90, 'eosio.token:transfer.memo': FROM },
} as unknown as ChainStatus;
const reader = {
  getStatus: async () => status,
  getBlock: async () => ({ status, block: { block: packed } }) as unknown as BlockLookup,
};

const conditionsOf = (filters: Record<string, unknown>, after?: Bound) =>
  toDataConditions(new Map(Object.entries(filters)), after, reader);

describe('toDataConditions', () => {
  it('finds the fields of a name, of any contract', async () => {
    const [condition] = await conditionsOf({ 'transfer.to': 'bob' });
    expect(condition?.fields.map(({ key }) => key)).toEqual(['eosio.token:transfer.to', 'other:transfer.to']);
    expect(condition?.text).toBe('bob');
  });

  it.each([
    ['5', '5'],
    [5, '5'],
    [true, '1'],
    [false, '0'],
    ['true', 'true'],
    ['', ''],
  ])('compares %j as "%s"', async (value, text) => {
    expect((await conditionsOf({ 'transfer.to': value }))[0]?.text).toBe(text);
  });

  it('compares texts of up to 1,024 characters', async () => {
    const text = 'x'.repeat(1_024);
    expect((await conditionsOf({ 'transfer.to': text }))[0]?.text).toBe(text);
  });

  it.each<[string, Bound | undefined]>([
    ['no bound', undefined],
    ['an earlier block', { blockNum: FROM - 1 }],
    ['an earlier time', { timeMs: timeMs(999) }],
  ])('refuses a field that is not indexed in all blocks with %s', async (_, after) => {
    await expect(conditionsOf({ 'transfer.memo': 'x' }, after)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'transfer.memo: its values are indexed from block 500 on; give after: 500 or later',
    });
  });

  it('takes a field while the store has nothing but the block of a snapshot', async () => {
    const { firstBlockNum: _, ...empty } = status;
    const started = { ...reader, getStatus: async () => empty as ChainStatus };
    expect(await toDataConditions(new Map([['transfer.memo', 'x']]), undefined, started)).toHaveLength(1);
  });

  it.each<[string, Bound]>([
    ['the block', { blockNum: FROM }],
    ['its time', { timeMs: timeMs(1_000) }],
  ])('takes a field from %s on', async (_, after) => {
    expect(await conditionsOf({ 'transfer.memo': 'x' }, after)).toHaveLength(1);
  });

  it.each([
    [
      { 'transfer.from': 'x' },
      'transfer.from: actions are not filtered by this field; indexed: transfer.to, transfer.memo',
    ],
    [{ 'transfer.to': null }, 'transfer.to: give a text'],
    [{ 'transfer.to': 9_007_199_254_740_993 }, 'transfer.to: send a number beyond 2^53 as text'],
    [{ 'transfer.to': -7_265_633_319_188_119_484 }, 'transfer.to: send a number beyond 2^53 as text'],
    [{ 'transfer.to': { a: 1 } }, 'transfer.to: give a text'],
    [{ 'transfer.to': 'x'.repeat(1_025) }, 'transfer.to: give a text of at most 1024 characters'],
    [Object.fromEntries(['a.a', 'a.b', 'a.c', 'a.d'].map((name) => [name, 'x'])), 'a.a: actions are not filtered'],
    [Object.fromEntries(['a.a', 'a.b', 'a.c', 'a.d', 'a.e'].map((name) => [name, 'x'])), 'send at most 4 filters'],
  ])('refuses %j', async (filters, message) => {
    await expect(conditionsOf(filters)).rejects.toMatchObject({ message: expect.stringContaining(message) as unknown });
  });
});
