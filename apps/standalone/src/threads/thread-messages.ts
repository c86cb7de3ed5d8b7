import { HistoryError, isErrorCode } from '@antelope-history/schemas';
import type { LoggedError, MetricsJson } from '@antelope-history/app-runtime';

/** Messages from the main thread. */
export type ToThread<Task> = { kind: 'stop' } | { kind: 'metrics'; id: number } | { kind: 'task'; task: Task };

/** Messages to the main thread. */
export type FromThread<Result> =
  | { kind: 'ready' }
  | { kind: 'metrics'; id: number; metrics: MetricsJson; lastError: LoggedError | undefined }
  | { kind: 'result'; result: Result }
  | { kind: 'failed'; error: PostedError };

/** An error as it is posted: it would lose its class, and with that its code. */
export interface PostedError {
  code: string | undefined;
  message: string;
  /** As that of `HistoryError`. */
  cost?: number;
  /** With the stacks of its causes. */
  stack: string | undefined;
}

export function toPostedError(error: unknown): PostedError {
  if (!(error instanceof Error)) return { code: undefined, message: String(error), stack: undefined };
  const { code, cost } = error instanceof HistoryError ? error : {};
  return { code, message: error.message, ...(cost !== undefined && { cost }), stack: stackOf(error) };
}

/** The error that `toPostedError` described, with its stack in the other thread. */
export function fromPostedError({ code, message, cost, stack }: PostedError): Error {
  const error = code !== undefined && isErrorCode(code) ? new HistoryError(code, message) : new Error(message);
  if (error instanceof HistoryError) error.cost = cost;
  if (stack !== undefined) error.stack = stack;
  return error;
}

function stackOf({ stack = '', cause }: Error): string {
  return cause instanceof Error ? `${stack}\ncaused by: ${stackOf(cause)}` : stack;
}
