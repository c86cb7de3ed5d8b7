import type { ActionRecord } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { BlockTracesLookup, HistoryReader, ListCheck, StoreReader } from '@antelope-history/store';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openRecording, sampleFolder, SAMPLES, V1_MESSAGES_FILE } from '@antelope-history/test-support/recordings';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Checkpoint, readCheckpoint, writeCheckpoint } from '../src/checkpoint';
import { type StoredFault, type Verification, verifyStore } from '../src/index';
import { ListVerifier } from '../src/list-verifier';
import { type ReplayedAccount, StateReplay } from '../src/state-replay';
import { indexRecording, runVerifyOn } from './verified-store';

const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** `lists`: the store whose lists are compared with the blocks of `reader`. */
async function verify(
  reader: HistoryReader,
  lists?: StoreReader,
): Promise<{ faults: StoredFault[]; unproved: number; next: number; to: number; accounts: number; abis: number }> {
  const faults: StoredFault[] = [];
  const { firstBlockNum, committed } = await reader.getStatus();
  const to = committed!.num;
  const { counts, next, replay, abis } = await verifyStore(reader, {
    from: firstBlockNum!,
    to,
    comparesPermissions: true,
    lists: lists && new ListVerifier(lists),
    signal: new AbortController().signal,
    onFault: (fault) => faults.push(fault),
    onBlock: () => undefined,
  });
  expect(counts.faults).toBe(faults.length);
  const { size: accounts } = replay.accounts;
  return { faults, unproved: counts.blocks - counts.provedBlocks, next, to, accounts, abis: abis.size };
}

/** The accounts whose permissions, and the contracts whose ABIs, the actions of each recording change. */
const STATE_CHANGES: Record<string, [accounts: number, abis: number]> = {
  'leap-edge': [50, 6],
  'leap-forks': [12, 3],
  'leap-snapshot': [1, 1],
  'eosio20-edge': [47, 6],
  'spring-savanna': [66, 5],
};

describe.each(SAMPLES)('the store of %s', (sample) => {
  it('verifies, but for the actions of the first block', async () => {
    const messages = sample === 'spring-savanna' ? V1_MESSAGES_FILE : undefined;
    const reader = await openLmdbStoreReader({
      path: await indexRecording(folder, sample, openRecording(sampleFolder(sample), messages)),
      mapSizeBytes: 0,
    });
    const { faults, unproved, next, to, accounts, abis } = await verify(reader, reader);
    await reader.close();
    expect(faults).toEqual([]);
    expect([accounts, abis]).toEqual(STATE_CHANGES[sample]);
    expect([unproved, next]).toEqual([sample === 'leap-snapshot' ? 0 : 1, to + 1]);
  });
});

describe('a damaged store', () => {
  let reader: Awaited<ReturnType<typeof openLmdbStoreReader>>;
  beforeAll(async () => {
    reader = await openLmdbStoreReader({
      path: await indexRecording(folder, 'damaged', openRecording(sampleFolder('leap-edge'))),
      mapSizeBytes: 0,
    });
  });
  afterAll(() => reader.close());

  /** The store with the response about one block changed. */
  function changed(num: number, change: (found: BlockTracesLookup) => BlockTracesLookup): HistoryReader {
    return readerWith({
      getBlockTraces: async (selector) => {
        const found = await reader.getBlockTraces(selector);
        return typeof selector === 'object' && 'num' in selector && selector.num === num ? change(found) : found;
      },
    });
  }

  /** The store with some methods replaced. */
  function readerWith(methods: Partial<HistoryReader>): HistoryReader {
    return {
      getStatus: () => reader.getStatus(),
      getActions: (query) => reader.getActions(query),
      getAccountTraces: (query) => reader.getAccountTraces(query),
      getTransaction: (idPrefix) => reader.getTransaction(idPrefix),
      getBlock: (selector) => reader.getBlock(selector),
      getBlockTraces: (selector) => reader.getBlockTraces(selector),
      getAbis: (...request) => reader.getAbis(...request),
      hasAccount: (account) => reader.hasAccount(account),
      getKeyAccounts: (key) => reader.getKeyAccounts(key),
      getControlledAccounts: (actor) => reader.getControlledAccounts(actor),
      ...methods,
    };
  }

  const codesOf = ({ faults }: { faults: StoredFault[] }): string[] =>
    faults.map(({ blockNum, code }) => `${blockNum} ${code}`);

  it('shows a block that is missing', async () => {
    const found = await verify(changed(150, ({ status }) => ({ status, block: undefined, transactions: [] })));
    expect(codesOf(found)[0]).toBe('150 missing');
  });

  it('shows a block of another branch by its link', async () => {
    const other = await reader.getBlockTraces({ num: 151 });
    const found = await verify(
      changed(150, (own) => ({
        ...other,
        block: other.block && { ...other.block, position: { ...other.block.position, num: 150 } },
        status: own.status,
      })),
    );
    expect(codesOf(found)).toEqual(expect.arrayContaining(['150 id', '150 link', '151 link']));
  });

  it('shows an action that is missing by the root and by the sequences', async () => {
    const found = await verify(
      changed(150, (own) => ({
        ...own,
        transactions: own.transactions.map(({ record, actions }) => ({ record, actions: actions.slice(1) })),
      })),
    );
    expect(codesOf(found)).toEqual(
      expect.arrayContaining(['150 action_mroot', '151 global_sequence', '151 recv_sequence']),
    );
  });

  it('shows a block that the store cannot read, and verifies the others', async () => {
    const broken = readerWith({
      getBlockTraces: (selector) =>
        typeof selector === 'object' && 'num' in selector && selector.num === 150
          ? Promise.reject(new HistoryError('DECODE_FAILED', 'the bytes end'))
          : reader.getBlockTraces(selector),
    });
    const found = await verify(broken);
    expect([codesOf(found), found.next]).toEqual([['150 corrupt'], found.to + 1]);
  });

  it('compares no permissions when a block above the verified ones cannot be read, and shows that block', async () => {
    const { firstBlockNum, committed } = await reader.getStatus();
    const last = committed!.num;
    const broken = readerWith({
      getBlockTraces: (selector) =>
        typeof selector === 'object' && 'num' in selector && selector.num === last
          ? Promise.reject(new HistoryError('INTERNAL', 'the block is stored damaged'))
          : reader.getBlockTraces(selector),
    });
    const faults: StoredFault[] = [];
    const { counts, isReplayWhole, isComplete } = await verifyStore(broken, {
      from: firstBlockNum!,
      to: last - 1,
      comparesPermissions: true,
      signal: new AbortController().signal,
      onFault: (fault) => faults.push(fault),
      onBlock: () => undefined,
    });
    expect(faults).toEqual([{ blockNum: last, code: 'corrupt', detail: 'the block is stored damaged' }]);
    expect([counts.faults, isReplayWhole, isComplete]).toEqual([1, false, true]);
  });

  it('ends when the store is away', async () => {
    const away = (): Promise<never> => Promise.reject(new HistoryError('STORE_UNAVAILABLE', 'away'));
    const { firstBlockNum } = await reader.getStatus();
    const broken = readerWith({ getBlockTraces: away, getStatus: away });
    const options = { from: firstBlockNum!, to: 150, comparesPermissions: false, signal: new AbortController().signal };
    await expect(
      verifyStore(broken, { ...options, onFault: () => undefined, onBlock: () => undefined }),
    ).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('shows an ABI that is not the one that was set', async () => {
    const found = await verify(
      readerWith({
        getAbis: async (...request) => {
          const { status, versions } = await reader.getAbis(...request);
          return {
            status,
            versions: versions.map((version) => version && { ...version, bytes: version.bytes?.subarray(1) }),
          };
        },
      }),
    );
    expect(new Set(found.faults.map(({ code }) => code))).toEqual(new Set(['abi']));
  });

  it('shows an ABI that no action has set', async () => {
    const found = await verify(
      readerWith({
        getAbis: async (requests, ...rest) => {
          const { status, versions } = await reader.getAbis(requests, ...rest);
          const isLast = requests[0]?.sequence === Number.MAX_SAFE_INTEGER;
          return { status, versions: isLast ? versions.map(() => ({ id: 'other', bytes: undefined })) : versions };
        },
      }),
    );
    expect(found.faults.length).toBe(found.abis);
    expect(found.faults.every(({ code }) => code === 'abi')).toBe(true);
  });

  it('shows accounts that are not found by their keys, and ones that are found by those of others', async () => {
    const honest = await reader.getStatus();
    const key = await someKey(reader, honest.firstBlockNum!, honest.committed!.num);
    const withAccounts = (change: (accounts: string[]) => string[]): HistoryReader =>
      readerWith({
        getKeyAccounts: async (asked) => {
          const { status, accounts } = await reader.getKeyAccounts(asked);
          return { status, accounts: asked.equals(key.bytes) ? change(accounts) : accounts };
        },
      });
    const lost = await verify(withAccounts((accounts) => accounts.filter((account) => account !== key.owner)));
    expect(codesOf(lost)).toEqual([expect.stringMatching(/ permission$/)]);
    expect(lost.faults[0]?.detail).toContain(`${key.owner} is not found`);
    const added = await verify(withAccounts((accounts) => [...accounts, key.other]));
    expect(codesOf(added)).toEqual([expect.stringMatching(/ permission$/)]);
    expect(added.faults[0]?.detail).toContain(`${key.other} is found`);
  });

  it('continues from a checkpoint as if it had not been interrupted', async () => {
    const { committed, firstBlockNum, chainId } = await reader.getStatus();
    const to = committed!.num;
    const run = async (checkpoint: Checkpoint | undefined, last: number): Promise<[Verification, string[]]> => {
      const interrupted = new AbortController();
      const faults: string[] = [];
      const verification = await verifyStore(
        // The fault at 300 shows by the sequences that were known before the interruption.
        changed(300, (own) => ({
          ...own,
          transactions: own.transactions.map(({ record, actions }) => ({ record, actions: actions.slice(1) })),
        })),
        {
          from: firstBlockNum!,
          to,
          checkpoint,
          comparesPermissions: true,
          lists: new ListVerifier(reader, checkpoint?.lists),
          signal: interrupted.signal,
          onFault: ({ blockNum, code }) => void faults.push(`${blockNum} ${code}`),
          onBlock: (num) => (num === last ? interrupted.abort() : undefined),
        },
      );
      return [verification, faults];
    };
    const [whole, allFaults] = await run(undefined, -1);
    const file = path.join(folder, 'checkpoint');
    let checkpoint: Checkpoint | undefined;
    const faults: string[] = [];
    // At 298 the sequences are restored just before they are needed; at `to` only the permissions are left.
    for (const last of [firstBlockNum! + 2, 298, to, -1]) {
      const [verification, found] = await run(checkpoint, last);
      faults.push(...found);
      expect(verification.isComplete).toBe(last === -1);
      await writeCheckpoint(file, { ...verification, chainId, range: { from: undefined, to: undefined } });
      checkpoint = await readCheckpoint(file, new StateReplay());
    }
    expect(faults).toEqual(allFaults);
    expect(faults.length).toBeGreaterThan(0);
    expect(checkpoint?.counts).toEqual(whole.counts);
    expect(checkpoint?.lists).toEqual(whole.lists);
    expect(whole.lists.at(-1)?.lastBlock).toBe(to);
  });

  it('shows the blocks whose actions are not those of the lists', async () => {
    // The lists are right; their check is given blocks whose actions have other names.
    const renamed = new Set([150, 151, 300]);
    const lists: StoreReader = {
      ...readerWith({}),
      close: () => Promise.resolve(),
      createListCheck: (options) => {
        const check = reader.createListCheck(options);
        return check && Object.assign(Object.create(check) as ListCheck, { add: renaming(check) });
      },
    };
    const renaming =
      (check: ListCheck): ListCheck['add'] =>
      (num, transactions) => {
        const rename = (action: ActionRecord): ActionRecord => ({ ...action, name: 'another' });
        const changed = transactions.map((each) => ({ ...each, actions: each.actions.map(rename) }));
        check.add(num, renamed.has(num) ? changed : transactions);
      };
    const found = await verify(reader, lists);
    expect(codesOf(found)).toEqual(['150 lists', '151 lists', '300 lists']);
    expect(found.faults[0]?.detail).toBe('the lists have others of its entries of actions');
  });

  it('shows bytes that are no block', async () => {
    const found = await verify(
      changed(150, (own) => ({ ...own, block: own.block && { ...own.block, block: own.block.block.subarray(0, 50) } })),
    );
    expect(codesOf(found)[0]).toBe('150 corrupt');
  });
});

/** A key of an account that an action created, and another account that was created without it. */
async function someKey(
  reader: HistoryReader,
  from: number,
  to: number,
): Promise<{ bytes: Buffer; owner: string; other: string }> {
  const replay = new StateReplay();
  for (let num = from; num <= to; num++) replay.apply(num, (await reader.getBlockTraces({ num })).transactions);
  const keysOf = (account: ReplayedAccount): string[] => [...account.permissions.values()].flatMap(({ keys }) => keys);
  for (const [owner, account] of replay.accounts) {
    const [key] = keysOf(account);
    const other = [...replay.accounts].find(
      ([, each]) => each.isWhole && key !== undefined && !keysOf(each).includes(key),
    );
    if (key !== undefined && other) return { bytes: Buffer.from(key, 'latin1'), owner, other: other[0] };
  }
  throw new Error('no account has a key of its own');
}

describe('npm run verify', () => {
  it('writes a checkpoint at Ctrl-C, continues from it, and removes it at the end', async () => {
    const data = path.join(folder, 'leap-forks');
    const file = path.join(folder, 'interrupted');
    const first = await runVerifyOn(['--checkpoint', file], data, AbortSignal.abort());
    expect(first.status).toBe(1);
    expect(first.printed).toEqual([
      expect.stringMatching(/^blocks 1 to 1: 1 verified/),
      'Interrupted, not finished; the same command continues',
    ]);
    await expect(runVerifyOn(['--checkpoint', file, '--to', '40'], data)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    const other = path.join(folder, 'leap-snapshot');
    await expect(runVerifyOn(['--checkpoint', file], other)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const second = await runVerifyOn(['--checkpoint', file], data);
    expect(second.printed).toEqual((await runVerifyOn([], data)).printed);
    expect(existsSync(file)).toBe(false);
    for (const text of ['something else', '{"ship":{}}', 'null']) {
      writeFileSync(file, text);
      const refused = `--checkpoint: ${file} is not a checkpoint of this program`;
      await expect(runVerifyOn(['--checkpoint', file], data)).rejects.toThrow(refused);
    }
  });

  it('writes a checkpoint every ten minutes, for a run that is killed', async () => {
    const data = path.join(folder, 'leap-forks');
    const file = path.join(folder, 'killed');
    let minutes = 0; // A block takes one.
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => minutes * 60_000);
    const signal = {
      get aborted(): boolean {
        if (++minutes === 100) throw new Error('killed');
        return false;
      },
    };
    const killed = runVerifyOn(['--checkpoint', file], data, signal as AbortSignal);
    await expect(killed).rejects.toThrow('killed');
    clock.mockRestore();
    expect((await readCheckpoint(file, new StateReplay()))?.next).toBe(91);
    const second = await runVerifyOn(['--checkpoint', file], data);
    expect(second.printed).toEqual((await runVerifyOn([], data)).printed);
    expect(existsSync(file)).toBe(false);
  });

  it('says before it begins that the checkpoint cannot be written', async () => {
    const data = path.join(folder, 'leap-forks');
    const file = path.join(folder, 'nowhere', 'checkpoint');
    await expect(runVerifyOn(['--checkpoint', file], data)).rejects.toThrow(`--checkpoint: ${file} cannot be written`);
    await expect(runVerifyOn(['--checkpoint', ''], data)).rejects.toThrow('name a file: --checkpoint FILE');
    const here = path.join(folder, 'unused');
    await runVerifyOn(['--checkpoint', here], data);
    expect([existsSync(here), existsSync(`${here}.new`)]).toEqual([false, false]);
  });

  it('verifies a range and prints its counts, as JSON when asked', async () => {
    const data = path.join(folder, 'leap-forks');
    const { status, printed } = await runVerifyOn(['--from', '20', '--to', '40'], data);
    expect([status, printed]).toEqual([
      0,
      [expect.stringMatching(/^blocks 20 to 40: 21 verified, \d+ traces, 0 faults$/)],
    ]);
    const json = await runVerifyOn(['--from', '20', '--to', '40', '--json'], data);
    expect(JSON.parse(json.printed.join(''))).toMatchObject({
      from: 20,
      to: 40,
      blocks: 21,
      provedBlocks: 21,
      faults: 0,
    });
  });

  it('refuses a range that is none', async () => {
    await expect(runVerifyOn(['--from', 'x'], folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const data = path.join(folder, 'leap-forks');
    for (const range of [
      ['--from', '9', '--to', '3'],
      ['--from', '9999'],
    ])
      await expect(runVerifyOn(range, data)).rejects.toThrow(
        'no block is from --from to --to: the store has the blocks',
      );
  });
});
