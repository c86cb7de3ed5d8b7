import { HistoryError } from '@antelope-history/schemas';

/**
 * The format of the documents that this version writes, which the progress names. It grows with every change that an earlier version
 * would read wrongly:
 * - 1: that of version 4.1.0.
 * - 2: action records may leave out digests (`TRACE_FLAGS.computedDigest`) and what follows in receipts
 *   (`ACTION_FLAGS.derivedReceipts`), and bodies have the beginning of ids (`idTerm`).
 * - 3: the progress names the layout of actions (`ActionLayout`).
 * - 4: the progress lists where ranges begin besides the multiples of `blocks_per_index`.
 * - 5: bodies have their root sequences and transactions as `execution`, without ids that follow from the block.
 * - 6: irreversible blocks are written in write terms, too: nothing would keep a writer of an earlier format from repaired ones.
 */
export const FORMAT_VERSION = 6;
const OLDEST_FORMAT = 1;

/** The version of the index templates and of the mappings that come from them. It grows with every change that needs other indices. */
export const MAPPING_VERSION = 1;
/** That of actions in the layout `doc-values`. */
export const DOC_VALUES_MAPPING_VERSION = 2;

/** Throws `STORE_FORMAT_MISMATCH` unless this version reads the format that a progress names. */
export function assertFormat(format: number): void {
  if (format >= OLDEST_FORMAT && format <= FORMAT_VERSION) return;
  throw new HistoryError(
    'STORE_FORMAT_MISMATCH',
    `the indices have format ${format}, this version reads formats up to ${FORMAT_VERSION}: ` +
      'use another store.elasticsearch.index_prefix and index again, or the version that wrote it',
  );
}
