import type { BlockPosition } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import { emptyProgress } from '../indices/progress';
import type { WriteFence } from '../write/write-fence';
import { BranchCleaner, cleanedUpTo } from './branch-cleaner';
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

/** The progress after a process has cleaned, and another one meanwhile up to a block. */
async function cleanedBeside(other: number): Promise<ProgressDocument> {
  let stored = LISTED;
  const progress = {
    read: () => Promise.resolve({ progress: stored, seqNo: 1, primaryTerm: 1 }),
    replace: (_: unknown, next: ProgressDocument) => {
      stored = next;
      return Promise.resolve(true);
    },
  } as unknown as ProgressStore;
  const removeStrays = (): Promise<void> => {
    if (other > stored.clean_up_to) stored = cleanedUpTo(stored, other);
    return Promise.resolve();
  };
  const documents = { removeStrays } as unknown as BranchDocuments;
  const fence = { begin: () => Promise.resolve(true) } as unknown as WriteFence;
  await new BranchCleaner({ progress, documents, fence }, RULES).clean();
  return stored;
}

describe('the cleaning of the branch', () => {
  it('deletes nothing because of blocks of an earlier store', async () => {
    let stored = { ...LISTED, store_id: 'earlier' };
    const kept: string[][] = [];
    const progress = {
      read: () => Promise.resolve({ progress: stored, seqNo: 1, primaryTerm: 1 }),
      replace: async (_: unknown, next: ProgressDocument) => Boolean((stored = { ...next, store_id: stored.store_id })),
    } as unknown as ProgressStore;
    const removeStrays: BranchDocuments['removeStrays'] = async (_after, _upTo, branch) =>
      void kept.push(branch.map(({ id }) => id));
    const documents = { removeStrays } as unknown as BranchDocuments;
    const fence = { begin: () => Promise.resolve(true) } as unknown as WriteFence;
    const cleaner = new BranchCleaner({ progress, documents, fence }, { ...RULES, sweepEveryMs: 0 });
    await cleaner.clean();
    await cleaner.sweep();
    expect(kept.map((ids) => ids.length)).toEqual([40, 40]);
    stored = { ...stored, store_id: 'later', branch: [] };
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
