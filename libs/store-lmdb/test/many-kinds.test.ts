import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlockRecords } from '@antelope-history/records';
import type { ActionFilter, ActionsQuery, StoreReader, StoreWriter } from '@antelope-history/store';
import { EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const KINDS = 10_001;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz12345';

/** An action name of five letters. */
function nameOf(index: number): string {
  let [name, rest] = ['', index];
  for (let letter = 0; letter < 5; letter++, rest = Math.floor(rest / LETTERS.length))
    name = `${LETTERS[rest % LETTERS.length]}${name}`;
  return name;
}

describe('a contract with ten thousand kinds of actions that notifies an account', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-kinds-'));
  let writer: StoreWriter;
  let reader: StoreReader;
  beforeAll(async () => {
    const options = { path: folder, mapSizeBytes: 0 };
    writer = await openLmdbStoreWriter(options);
    const actions = Array.from({ length: KINDS }, (_, index) => ({
      account: 'spam',
      name: nameOf(index),
      actor: 'spam',
      notified: ['victim'],
      creatorDistance: 0,
      dataBytes: 1,
    }));
    const chain = new SyntheticChain();
    let last: BlockRecords | undefined;
    for (let start = 0; start < KINDS; start += 1_000) {
      last = chain.block(last, { ...EMPTY_BLOCK, transactions: [actions.slice(start, start + 1_000)] });
      await writer.writeBlocks([last]);
    }
    reader = await openLmdbStoreReader(options);
  }, 120_000);
  afterAll(async () => {
    await reader.close();
    await writer.close();
    rmSync(folder, { recursive: true });
  });

  const namesOf = async (account: string, filters: ActionFilter[], skip = 0): Promise<string[]> => {
    const query: ActionsQuery = {
      account,
      filters,
      data: [],
      after: undefined,
      before: undefined,
      parent: undefined,
      order: 'desc',
      skip,
      limit: 3,
      window: 'skip',
    };
    return (await reader.getActions(query)).rows.map(({ action }) => action.name);
  };
  const newest = [KINDS - 1, KINDS - 2, KINDS - 3].map(nameOf);

  it('gives the actions of the contract by all its names', async () => {
    expect(await namesOf('spam', [{ account: 'spam' }])).toEqual(newest);
    expect(await namesOf('spam', [{ account: 'spam' }], KINDS - 1)).toEqual([nameOf(0)]);
    expect(await namesOf('spam', [{ account: 'spam' }, { account: 'spam', name: nameOf(7) }])).toEqual(newest);
  });

  it('gives those of the account, also of one kind, and refuses to look through all kinds', async () => {
    expect(await namesOf('victim', [])).toEqual(newest);
    expect(await namesOf('victim', [{ account: 'spam', name: nameOf(7) }])).toEqual([nameOf(7)]);
    for (const filter of [{ account: 'spam' }, { account: 'other' }, { name: nameOf(7) }])
      await expect(namesOf('victim', [filter])).rejects.toMatchObject({
        code: 'QUERY_TOO_BROAD',
        message: 'victim has more than 10000 kinds of actions: name contract and action in filter',
      });
  });
});
