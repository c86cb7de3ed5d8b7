import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeName } from '@antelope-history/abi';
import type { BlockRecords } from '@antelope-history/records';
import type { StoreReader, StoreRepairer, StoreWriter } from '@antelope-history/store';
import { type ActionPlan, type BlockPlan, EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const [WRONG, RIGHT, LATER, LAST] = [1, 2, 3, 4].map((byte) => Buffer.alloc(34, byte)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** The data of an action that changes a permission of alice. */
function updateOf(permission: string): Buffer {
  const data = Buffer.alloc(24);
  writeName('alice', data, 0);
  writeName(permission, data, 8);
  return data;
}

function updateauth(data: Buffer): ActionPlan {
  return { account: 'eosio', name: 'updateauth', actor: 'alice', notified: [], creatorDistance: 0, dataBytes: 0, data };
}

/** Changes alice's permission `active` by these keys in turn, each by an action. */
function changesTo(...keys: Buffer[]): BlockPlan {
  return {
    ...EMPTY_BLOCK,
    transactions: keys.map(() => [updateauth(updateOf('active'))]),
    permissions: keys.map((key) => ({ owner: 'alice', name: 'active', authority: { keys: [key], actors: [] } })),
  };
}

describe('repairing a permission', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-permissions-'));
  let chain: SyntheticChain;
  let writer: StoreWriter & StoreRepairer;
  let reader: StoreReader;
  beforeEach(async () => {
    const options = { path: mkdtempSync(path.join(folder, 'store-')), mapSizeBytes: 0 };
    chain = new SyntheticChain();
    writer = (await openLmdbStoreWriter(options)) as StoreWriter & StoreRepairer;
    reader = await openLmdbStoreReader(options);
  });
  afterEach(async () => {
    await reader.close();
    await writer.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Which of the keys the permission has. */
  const keysOf = async (): Promise<Buffer[]> => {
    const found = await Promise.all(
      [WRONG, RIGHT, LATER, LAST].map(async (key) => {
        const { accounts } = await reader.getKeyAccounts(key);
        return accounts.length > 0 ? [key] : [];
      }),
    );
    return found.flat();
  };
  /** The first block with the wrong key. */
  const withWrongKey = (block: BlockRecords): BlockRecords => ({
    ...block,
    permissionChanges: changesTo(WRONG).permissions,
  });

  it.each([
    ['one change', [LATER]],
    ['several changes', [LATER, LAST]],
  ])('restores it when a fork undoes %s of a reversible block', async (_name, keys) => {
    const first = chain.block(undefined, changesTo(RIGHT));
    const second = chain.block(first, changesTo(...keys), first.position);
    await writer.writeBlocks([withWrongKey(first), second]);
    await writer.repairBlocks([first]);
    expect(await keysOf()).toEqual([keys.at(-1)]);
    await writer.writeBlocks([chain.block(first, EMPTY_BLOCK, first.position)]);
    expect(await keysOf()).toEqual([RIGHT]);
  });

  it('restores it over several reversible blocks', async () => {
    const first = chain.block(undefined, changesTo(RIGHT));
    const second = chain.block(first, changesTo(LATER), first.position);
    const third = chain.block(second, changesTo(LAST), first.position);
    await writer.writeBlocks([withWrongKey(first), second, third]);
    await writer.repairBlocks([first]);
    const other = chain.block(second, EMPTY_BLOCK, first.position);
    await writer.writeBlocks([other]);
    expect(await keysOf()).toEqual([LATER]);
    await writer.writeBlocks([chain.block(first, EMPTY_BLOCK, first.position)]);
    expect(await keysOf()).toEqual([RIGHT]);
  });

  it('keeps what a later irreversible block has set', async () => {
    const first = chain.block(undefined, changesTo(RIGHT));
    const second = chain.block(first, changesTo(LATER));
    const third = chain.block(second, changesTo(LAST), second.position);
    await writer.writeBlocks([withWrongKey(first), second, third]);
    await writer.repairBlocks([first]);
    await writer.writeBlocks([chain.block(second, EMPTY_BLOCK, second.position)]);
    expect(await keysOf()).toEqual([LATER]);
  });

  it('removes the accounts that only the wrong one names', async () => {
    const first = chain.block(undefined, changesTo(RIGHT));
    const authority = { keys: [WRONG], actors: ['mallory'] };
    const second = chain.block(first, EMPTY_BLOCK, first.position);
    await writer.writeBlocks([
      { ...first, permissionChanges: [{ owner: 'alice', name: 'active', authority }] },
      second,
    ]);
    await writer.repairBlocks([first]);
    expect((await reader.getControlledAccounts('mallory')).accounts).toEqual([]);
    expect(await keysOf()).toEqual([RIGHT]);
  });

  it('sees by the repaired actions whether a later block has changed it', async () => {
    const first = chain.block(undefined, changesTo(RIGHT));
    const second = chain.block(first, { ...EMPTY_BLOCK, transactions: [[updateauth(updateOf('owner'))]] });
    const third = chain.block(second, EMPTY_BLOCK, second.position);
    const wrong = withOtherData(second, updateOf('owner'), updateOf('active'));
    await writer.writeBlocks([withWrongKey(first), wrong, third]);
    await writer.repairBlocks([first, second]);
    expect(await keysOf()).toEqual([RIGHT]);
  });

  it('leaves those of eosio.prods as they are, which change without an action', async () => {
    const givenTo = (key: Buffer): BlockPlan => {
      return {
        ...EMPTY_BLOCK,
        permissions: [{ owner: 'eosio.prods', name: 'active', authority: { keys: [key], actors: [] } }],
      };
    };
    const first = chain.block(undefined, givenTo(RIGHT));
    const second = chain.block(first, givenTo(LATER));
    await writer.writeBlocks([first, second, chain.block(second, EMPTY_BLOCK, second.position)]);
    await writer.repairBlocks([first]);
    expect(await keysOf()).toEqual([LATER]);
  });
});

/** A block in whose actions other data stand. */
function withOtherData(block: BlockRecords, data: Buffer, other: Buffer): BlockRecords {
  const changed = (bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes);
    other.copy(copy, copy.indexOf(data));
    return copy;
  };
  return {
    ...block,
    transactions: block.transactions.map((each) => ({
      ...each,
      actions: each.actions.map((action) => ({ ...action, bytes: changed(action.bytes) })),
    })),
  };
}
