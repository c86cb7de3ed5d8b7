import { HistoryError } from '@antelope-history/schemas';

/** An ABI_INVALID error with its reason. */
export function invalidAbi(reason: string, cause?: unknown): HistoryError {
  return new HistoryError('ABI_INVALID', `the ABI is not valid: ${reason}`, { cause });
}
