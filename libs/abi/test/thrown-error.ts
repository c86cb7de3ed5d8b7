import { HistoryError, type ErrorCode } from '@antelope-history/schemas';

/** The detail of the HistoryError with this code that `run` throws; fails when it throws another or none. */
export function thrownDetail(code: ErrorCode, run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HistoryError && error.code === code) return error.message;
    throw error;
  }
  throw new Error(`nothing was thrown, expected ${code}`);
}
