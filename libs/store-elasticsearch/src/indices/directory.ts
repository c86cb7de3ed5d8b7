import { type BlockRange, rangeLast, type RangeLayout, rangeStart, rangeStarts } from './block-ranges';
import type { IndexNames } from './index-names';
import type { ProgressDocument } from './documents';

/*
 * The directory tells which ranges of blocks have rows of a list and how many, and which ranges have a transaction, so that a
 * query searches the ranges with its rows and no others. A range is added when all its blocks are clean: nothing in it changes
 * any more. Queries search ranges that are not in the directory as if there were no directory.
 */

/**
 * An index of the directory has the entries of this many ranges, or of at most twice as many where ranges end early. Each range adds an
 * entry to the documents of its accounts, so that more ranges make larger documents.
 */
const RANGES_PER_INDEX = 64;
/** Distinct actions of one account in one range that are counted one by one; contracts choose names. */
export const MAX_ACTION_COUNTS = 100;
/** The account of the entries that count all actions. No account has this name. */
export const WHOLE_CHAIN = '*';
/** The beginning of a transaction id in the directory, in hex digits: other ids seldom share it. */
export const ID_DIGITS = 16;

/** An account's rows in the ranges of one index. Its id is the account. It is read by id, so that no field is indexed. */
export interface DirectoryDocument {
  ranges: DirectoryEntry[];
}

/** The rows of an account in one range. */
export interface DirectoryEntry {
  /** The range's first block number. */
  range: number;
  /** Actions that the account received or authorised. */
  rows: number;
  /** The action traces of these that count for it: `tracesOfAccount`. */
  traces: number;
  /** Of the rows, by `contract:name`; absent when there are more than `MAX_ACTION_COUNTS`. */
  actions?: Record<string, number>;
}

/** Consecutive transactions of a range: `transaction-groups.ts`. Its fields are indexed and not part of the stored source. */
export interface DirectoryIdsDocument {
  range: number;
  /** The first `ID_DIGITS` of each id. */
  ids: string[];
  /** The lowest global sequence of their traces, and the sequences from it to the highest; absent when there are too many or none. */
  first_sequence?: number;
  sequence_count?: number;
}

/** The blocks that the directory covers; undefined when there are none. */
export function directoryBlocks(progress: ProgressDocument): BlockRange | undefined {
  const { directory, rewrites = 0, first_block_num: first } = progress;
  if (!directory || directory.rewrites !== rewrites || first === undefined || directory.to <= first) return undefined;
  return { first, last: directory.to - 1 };
}

/** The index of the directory with the entries of a range. */
export function directoryIndex(names: IndexNames, range: number, progress: ProgressDocument): string {
  return names.directory(rangeStart(range, directoryLayout(progress)), progress.rewrites ?? 0);
}

/**
 * Divides the blocks among the indices of the directory: one begins at every `RANGES_PER_INDEX`-th multiple of `blocks_per_index`, and at
 * every `RANGES_PER_INDEX`-th of the other starts.
 */
function directoryLayout({ blocks_per_index: blocksPerIndex, ranges }: RangeLayout): RangeLayout {
  const starts = (ranges?.starts ?? []).filter((_, index) => (index + 1) % RANGES_PER_INDEX === 0);
  return { blocks_per_index: RANGES_PER_INDEX * blocksPerIndex, ranges: { starts } };
}

/** The indices of the directory with entries of some of the blocks. */
export function directoryIndices(names: IndexNames, blocks: BlockRange, progress: ProgressDocument): string[] {
  const starts = rangeStarts(blocks, directoryLayout(progress));
  return starts.map((start) => directoryIndex(names, start, progress));
}

/** Whether an index of the directory has no entry that a query needs: of an earlier build, or of removed blocks only. */
export function isObsolete(names: IndexNames, index: string, progress: ProgressDocument): boolean {
  const { rewrites = 0, first_block_num: first = 0 } = progress;
  const parsed = names.parseDirectory(index);
  if (!parsed) return false;
  return parsed.rewrites < rewrites || rangeLast(parsed.firstBlock, directoryLayout(progress)) < first;
}
