import { destination, pino, type Logger, stdSerializers } from 'pino';
import { HistoryError } from '@antelope-history/schemas';

export type { Logger } from 'pino';

/** JSON lines on standard output. An object goes first, the message second: `log.info({ blockNum }, 'committed')`. */
export function createLogger(name: string, level: string): Logger {
  // Written at once: the last lines before an end are the ones that matter.
  const output = destination({ dest: process.stdout.fd, sync: true });
  return pino({ name, level, base: { pid: process.pid }, serializers: { error: describeError } }, output);
}

/** An error as logs show it: ours with its code, and the cause. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described = stdSerializers.err(error);
  return error instanceof HistoryError ? { ...described, code: error.code } : described;
}
