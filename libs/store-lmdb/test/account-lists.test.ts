import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlockRecords } from '@antelope-history/records';
import type { StoreReader, StoreWriter } from '@antelope-history/store';
import { type BlockPlan, EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const KEY = Buffer.alloc(34, 2);
/** More than two parts of a list. */
const ACCOUNTS = 5_000;

describe('a long list of accounts', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-lists-'));
  const owners = Array.from({ length: ACCOUNTS }, (_, index) => `user${letters(index)}`).sort();
  const chain = new SyntheticChain();
  let writer: StoreWriter;
  let reader: StoreReader;
  let tip: BlockRecords;
  beforeAll(async () => {
    writer = await openLmdbStoreWriter({ path: folder, mapSizeBytes: 0 });
    tip = chain.block(undefined, givenTo(owners, 'wallet'));
    await writer.writeBlocks([tip]);
  });
  beforeEach(async () => {
    reader = await openLmdbStoreReader({ path: folder, mapSizeBytes: 0 });
  });
  afterEach(() => reader.close());
  afterAll(async () => {
    await writer.close();
    rmSync(folder, { recursive: true });
  });

  async function write(plan: BlockPlan): Promise<void> {
    tip = chain.block(tip, plan);
    await writer.writeBlocks([tip]);
  }

  it('is of one state, whatever is committed and read between its parts', async () => {
    let pauses = 0;
    const change = async (steps: number): Promise<void> => {
      expect(steps).toBeGreaterThan(1_000);
      // The owners before and after the place that the list has reached.
      if (pauses++ === 0) await write(givenTo([owners[0] ?? '', owners.at(-1) ?? ''], 'other'));
      expect((await reader.getStatus()).committed).toEqual(tip.position);
    };
    const before = tip.position;
    const found = await reader.getControlledAccounts('wallet', Infinity, change);
    expect([found.accounts, found.status.committed, pauses]).toEqual([owners, before, 2]);
    const later = await reader.getControlledAccounts('wallet');
    expect([later.accounts, later.status.committed]).toEqual([owners.slice(1, -1), tip.position]);
    expect((await reader.getKeyAccounts(KEY)).accounts).toEqual(owners);
  });

  it('ends with the error of the pause, and leaves nothing open', async () => {
    const leave = () => Promise.reject(new Error('the client left'));
    for (let count = 0; count < 200; count++) {
      await expect(reader.getKeyAccounts(KEY, Infinity, leave)).rejects.toThrow('the client left');
    }
    await write(EMPTY_BLOCK);
    expect((await reader.getStatus()).committed).toEqual(tip.position);
    expect((await reader.getKeyAccounts(KEY)).accounts).toEqual(owners);
  });

  it('ends when the store is closed in between', async () => {
    let goOn = (): void => undefined;
    const pause = () => new Promise<void>((resolve) => (goOn = resolve));
    const listed = reader.getKeyAccounts(KEY, Infinity, pause);
    const refused = expect(listed).rejects.toMatchObject({ code: 'STOPPED' });
    const closed = reader.close();
    goOn();
    await refused;
    await closed;
    await expect(reader.getKeyAccounts(KEY)).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('keeps the environment open, whose snapshot it reads, until it has ended', async () => {
    const ended: string[] = [];
    let goOn = (): void => undefined;
    const pause = () => new Promise<void>((resolve) => (goOn = resolve));
    const listed = reader.getKeyAccounts(KEY, Infinity, pause).catch(() => ended.push('list'));
    const closed = reader.close().then(() => ended.push('environment'));
    // LMDB closes an environment without commits in progress at once.
    await new Promise((resolve) => setTimeout(resolve, 50));
    goOn();
    await Promise.all([listed, closed]);
    expect(ended).toEqual(['list', 'environment']);
  });
});

/** A block in which owners give their permission `active` to a key and an actor. */
function givenTo(owners: readonly string[], actor: string): BlockPlan {
  const authority = { keys: [KEY], actors: [actor] };
  return { ...EMPTY_BLOCK, permissions: owners.map((owner) => ({ owner, name: 'active', authority })) };
}

/** A number as letters, which account names consist of. */
function letters(value: number): string {
  return String(value)
    .split('')
    .map((digit) => 'abcdefghij'[Number(digit)])
    .join('');
}
