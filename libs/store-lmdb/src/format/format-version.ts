import { HistoryError } from '@antelope-history/schemas';

/**
 * The format of a store that this version writes. It grows with every change of a key or value layout that an earlier version would
 * read wrongly:
 * - 1: that of version 4.1.0.
 * - 2: blocks were removed, so that the beginning of lists may be absent, and postings are counted from what is left.
 * - 3: action records may leave out digests (`TRACE_FLAGS.computedDigest`) and what follows in receipts
 *   (`ACTION_FLAGS.derivedReceipts`); lists as in format 2.
 */
export const FORMAT_VERSION = 3;
const OLDEST_FORMAT = 1;

/** Throws `STORE_FORMAT_MISMATCH` unless this version reads the format of a data directory. */
export function assertFormat(format: number, directory: string): void {
  if (format >= OLDEST_FORMAT && format <= FORMAT_VERSION) return;
  throw new HistoryError(
    'STORE_FORMAT_MISMATCH',
    `${directory} has format ${format}, this version reads formats up to ${FORMAT_VERSION}: ` +
      'use another data directory and index again, or the version that wrote it',
  );
}
