import { HistoryError } from '@antelope-history/schemas';

/** The format of a new store. It grows with every change of a key or value layout. */
export const FORMAT_VERSION = 1;
/**
 * The format of a store from which blocks were removed: the beginning of its lists may be absent, and versions that read only
 * format 1 would count postings wrongly.
 */
export const FORMAT_OF_SHORTENED_LISTS = 2;

/** Throws `STORE_FORMAT_MISMATCH` unless a data directory was written in the format of this version. */
export function assertFormat(format: number, directory: string): void {
  if (format === FORMAT_VERSION || format === FORMAT_OF_SHORTENED_LISTS) return;
  throw new HistoryError(
    'STORE_FORMAT_MISMATCH',
    `${directory} has format ${format}, this version reads formats up to ${FORMAT_OF_SHORTENED_LISTS}: ` +
      'use another data directory and index again, or the version that wrote it',
  );
}
