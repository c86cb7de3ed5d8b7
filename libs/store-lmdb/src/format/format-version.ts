import { HistoryError } from '@antelope-history/schemas';

/** Grows with every change of a key or value layout. */
export const FORMAT_VERSION = 1;

/** Throws `STORE_FORMAT_MISMATCH` unless a data directory was written in the format of this version. */
export function assertFormat(format: number, directory: string): void {
  if (format === FORMAT_VERSION) return;
  throw new HistoryError(
    'STORE_FORMAT_MISMATCH',
    `${directory} has format ${format}, this version reads format ${FORMAT_VERSION}: ` +
      'use another data directory and index again, or the version that wrote it',
  );
}
