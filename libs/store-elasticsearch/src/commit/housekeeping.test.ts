import { HistoryError } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import { IndexNames } from '../indices/index-names';
import { emptyProgress } from '../indices/progress';
import { Housekeeping } from './housekeeping';

const DELAY_MS = 120_000;
const IDLE_MS = 10_000;
const RETRY_MS = 600_000;
const BLOCKS_PER_INDEX = 10;
/** An index of the directory covers 64 ranges. */
const PER_DIRECTORY = 64 * BLOCKS_PER_INDEX;

describe('the work after a commit', () => {
  let now = 0;
  let dropped: number[];
  let obsolete: string[][];
  let forgotten: number;
  let cleanings: number;
  let adding: () => Promise<boolean>;
  let housekeeping: Housekeeping;
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    [now, dropped, obsolete, forgotten, cleanings] = [1_000, [], [], 0, 0];
    adding = () => Promise.resolve(false);
    const names = new IndexNames('test');
    const directories = [0, 1, 2].map((each) => names.directory(each * PER_DIRECTORY, 0));
    const nothing = (): Promise<void> => Promise.resolve();
    const parts = {
      journal: { removeUpTo: nothing },
      cleaner: { clean: async () => void (cleanings += 1), sweep: nothing },
      permissions: { clean: nothing },
      indices: {
        settleReplicas: nothing,
        settleTiers: nothing,
        forgetSettings: () => {
          forgotten++;
        },
        dropBelow: async (blockNum: number) => void dropped.push(blockNum),
        dropDirectories: async (isObsolete: (index: string) => boolean) =>
          void obsolete.push(directories.filter(isObsolete)),
      },
      directory: { addNext: () => adding() },
      names,
    };
    const delays = {
      idleEveryMs: IDLE_MS,
      directoryRetryMs: RETRY_MS,
      tidyEveryMs: 0,
      dropAfterMs: DELAY_MS,
      dropDirectoryAfterMs: DELAY_MS,
    };
    housekeeping = new Housekeeping(parts as unknown as ConstructorParameters<typeof Housekeeping>[0], delays);
  });
  afterEach(() => jest.restoreAllMocks());

  async function commit(afterMs: number, first: number, more: Partial<ProgressDocument> = {}): Promise<void> {
    now += afterMs;
    const progress: ProgressDocument = { ...emptyProgress(BLOCKS_PER_INDEX), first_block_num: first, ...more };
    housekeeping.after({ before: progress, after: progress });
    await housekeeping.idle();
  }

  async function maintain(afterMs: number, ordinal: number): Promise<number> {
    now += afterMs;
    const before = cleanings;
    housekeeping.maintain({ ...emptyProgress(BLOCKS_PER_INDEX), view: { session: 1, ordinal } });
    await housekeeping.idle();
    return cleanings - before;
  }

  it('is done again at intervals while no process commits', async () => {
    const calls: [afterMs: number, ordinal: number][] = [
      [0, 7],
      [IDLE_MS - 1, 7],
      [1, 7],
      [IDLE_MS - 1, 7],
      [1, 7],
      [IDLE_MS, 8],
      [IDLE_MS - 1, 8],
      [1, 8],
    ];
    const runs: number[] = [];
    for (const call of calls) runs.push(await maintain(...call));
    expect(runs).toEqual([0, 0, 1, 0, 1, 0, 0, 1]);
  });

  it('deletes removed blocks also when nothing is committed afterwards', async () => {
    await commit(0, 5_000);
    now += DELAY_MS;
    const progress: ProgressDocument = { ...emptyProgress(BLOCKS_PER_INDEX), first_block_num: 5_000 };
    housekeeping.maintain(progress);
    now += IDLE_MS;
    housekeeping.maintain(progress);
    await housekeeping.idle();
    expect([dropped, obsolete.at(-1)?.length]).toEqual([[5_000], 3]);
  });

  it('goes on without a range that does not decode, which is tried again later', async () => {
    let tries = 0;
    adding = () => Promise.reject(new HistoryError('DECODE_FAILED', `try ${++tries}`));
    for (let commits = 0; commits < 3; commits++) await commit(1, 0);
    await expect(maintain(0, 7)).rejects.toThrow('try 1');
    expect(await maintain(0, 7)).toBe(0);
    await commit(RETRY_MS - 3, 0);
    expect(tries).toBe(1);
    await commit(1, 0);
    expect(tries).toBe(2);
  });

  it('deletes removed blocks when queries of that time have ended, however often more are removed', async () => {
    await commit(0, 0);
    for (let first = 100; first <= 3_000; first += 100) await commit(DELAY_MS / 10, first);
    expect(new Set(dropped)).toEqual(new Set(Array.from({ length: 21 }, (_, index) => index * 100)));
    expect(obsolete.flat()).toEqual(
      expect.arrayContaining(['test-directory-0000000000-0', 'test-directory-0000000640-0']),
    );
    expect(obsolete.at(-1)).toHaveLength(3);
  });

  it('deletes nothing of a store that was made again because of what the earlier one had removed', async () => {
    await commit(0, 5_000, { store_id: 'earlier', rewrites: 3 });
    await commit(DELAY_MS, 5_000, { store_id: 'earlier', rewrites: 3 });
    const before = [dropped.length, obsolete.length];
    await commit(1, 0, { store_id: 'later' });
    await commit(DELAY_MS, 0, { store_id: 'later' });
    expect(dropped.slice(before[0]).filter((first) => first > 0)).toEqual([]);
    expect(obsolete.slice(before[1]).flat()).toEqual([]);
    expect(forgotten).toBe(2);
  });

  it('deletes nothing that a query of the last minutes may read', async () => {
    await commit(0, 0);
    await commit(1, 5_000);
    await commit(DELAY_MS - 1, 5_000);
    expect([dropped.filter((first) => first > 0), obsolete.flat()]).toEqual([[], []]);
    await commit(1, 5_000);
    expect([dropped.at(-1), obsolete.at(-1)?.length]).toEqual([5_000, 3]);
  });
});
