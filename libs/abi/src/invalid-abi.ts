import { HistoryError } from '@antelope-history/schemas';

/** Creates an `ABI_INVALID` error with the reason. */
export function invalidAbi(reason: string, cause?: unknown): HistoryError {
  return new HistoryError('ABI_INVALID', `the ABI is not valid: ${reason}`, { cause });
}
