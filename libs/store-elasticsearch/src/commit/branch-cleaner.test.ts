import type { BlockPosition } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import { emptyProgress } from '../indices/progress';
import type { WriteFence } from '../write/write-fence';
import { BranchCleaner, cleanedUpTo, type CleaningRules } from './branch-cleaner';
import type { BranchDocuments } from './branch-documents';
import type { ProgressStore } from './progress-store';

const RULES = { settleBlocks: 4, cleanBlocks: 1, forkPauseMs: 0, startPauseMs: 0, sweepEveryMs: Infinity };
const IRREVERSIBLE = 50;

const blockAt = (num: number): BlockPosition => ({ num, id: `block ${num}` });

/** A progress of blocks 10 to 100. */
const LISTED: ProgressDocument = {
  ...emptyProgress(1_000),
  first_block_num: 10,
  committed: blockAt(100),
  head: blockAt(100),
  last_irreversible: blockAt(IRREVERSIBLE),
  clean_up_to: 10,
  branch: Array.from({ length: 91 }, (_, index) => blockAt(10 + index)),
};

/** A cleaner of a progress that the test changes. */
function cleanerOf(
  stored: { progress: ProgressDocument },
  rules: Partial<CleaningRules>,
  removeStrays: BranchDocuments['removeStrays'] = () => Promise.resolve(),
): BranchCleaner {
  const progress = {
    read: () => Promise.resolve({ progress: stored.progress, seqNo: 1, primaryTerm: 1 }),
    replace: (_: unknown, next: ProgressDocument) => {
      stored.progress = next;
      return Promise.resolve(true);
    },
  } as unknown as ProgressStore;
  const documents = { removeStrays } as unknown as BranchDocuments;
  const fence = { begin: () => Promise.resolve(true) } as unknown as WriteFence;
  return new BranchCleaner({ progress, documents, fence }, { ...RULES, ...rules });
}

/** The progress after a process has cleaned, and another one meanwhile up to a block. */
async function cleanedBeside(other: number): Promise<ProgressDocument> {
  const stored = { progress: LISTED };
  const removeStrays = (): Promise<void> => {
    if (other > stored.progress.clean_up_to) stored.progress = cleanedUpTo(stored.progress, other);
    return Promise.resolve();
  };
  await cleanerOf(stored, {}, removeStrays).clean();
  return stored.progress;
}

describe('the cleaning of the branch', () => {
  describe('by a process that rarely commits', () => {
    const PAUSE_MS = 30_000;
    let now = 0;
    beforeEach(() => {
      now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
    });
    afterEach(() => jest.restoreAllMocks());

    it('begins a while after its first look, however long it has been there', async () => {
      const stored = { progress: LISTED };
      const cleaner = cleanerOf(stored, { startPauseMs: PAUSE_MS });
      const ends: number[] = [];
      for (now of [10 * PAUSE_MS, 11 * PAUSE_MS - 1, 11 * PAUSE_MS]) {
        await cleaner.clean();
        ends.push(stored.progress.clean_up_to);
      }
      expect(ends).toEqual([10, 10, IRREVERSIBLE]);
    });

    it('waits for the queries of a branch that it has never seen', async () => {
      const stored = { progress: LISTED };
      const cleaner = cleanerOf(stored, { forkPauseMs: PAUSE_MS });
      await cleaner.clean();
      // Other processes have committed the blocks above 100, and undone some of them.
      const branch = Array.from({ length: 201 }, (_, index) => blockAt(IRREVERSIBLE + index));
      const committed = blockAt(250);
      const grown = { committed, head: committed, last_irreversible: blockAt(240), branch, revision: 1 };
      stored.progress = { ...stored.progress, ...grown };
      const ends: number[] = [];
      for (now of [PAUSE_MS, 2 * PAUSE_MS - 1, 2 * PAUSE_MS]) {
        await cleaner.clean();
        ends.push(stored.progress.clean_up_to);
      }
      expect(ends).toEqual([100, 100, 240]);
    });
  });

  it('deletes nothing because of blocks of an earlier store', async () => {
    const stored = { progress: { ...LISTED, store_id: 'earlier' } as ProgressDocument };
    const kept: string[][] = [];
    const cleaner = cleanerOf(
      stored,
      { sweepEveryMs: 0 },
      async (_after, _upTo, branch) => void kept.push(branch.map(({ id }) => id)),
    );
    await cleaner.clean();
    await cleaner.sweep();
    expect(kept.map((ids) => ids.length)).toEqual([40, 40]);
    stored.progress = { ...stored.progress, store_id: 'later', branch: [] };
    await cleaner.sweep();
    expect(kept).toHaveLength(2);
  });

  it.each([
    ['alone', 0, IRREVERSIBLE],
    ['beside another process that cleans fewer blocks', 30, IRREVERSIBLE],
    ['beside another process that cleans more blocks', 60, 60],
  ])('%s never takes back what is clean, or a block that is listed', async (_how, other, cleanUpTo) => {
    const { clean_up_to: upTo, branch } = await cleanedBeside(other);
    expect({ upTo, listed: branch[0] }).toEqual({ upTo: cleanUpTo, listed: blockAt(cleanUpTo) });
  });
});
