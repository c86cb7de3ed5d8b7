import { getSystemErrorName } from 'node:util';
import { HistoryError } from '@antelope-history/schemas';

const REASONS: Partial<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of its disk is used up',
  EEXIST: 'there is a file in its place',
  ENOENT: 'there is no such directory, and none can be created there',
  ENOTDIR: 'a part of its path is a file',
  EMFILE: 'this process may not open more files',
};

/** A data directory that cannot be created or opened, with the reason that the system or LMDB gives. */
export function directoryError(directory: string, what: 'created' | 'opened', cause: unknown): HistoryError {
  const code = systemCodeOf(cause);
  const reason = code === undefined ? '' : `: ${REASONS[code] ?? code}`;
  return new HistoryError('STORE_UNAVAILABLE', `the data directory ${directory} cannot be ${what}${reason}`, { cause });
}

/** LMDB gives the system's numbers; its own ones are negative. */
function systemCodeOf(cause: unknown): string | undefined {
  const { code } = cause as { code?: unknown };
  if (typeof code === 'number') return code > 0 ? getSystemErrorName(-code) : undefined;
  return typeof code === 'string' ? code : undefined;
}
