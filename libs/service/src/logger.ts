import { destination, pino, type DestinationStream, type Logger, stdSerializers } from 'pino';
import { HistoryError } from '@antelope-history/schemas';

export type { Logger } from 'pino';

/** JSON lines on `output`. An object goes first, the message second: `log.info({ blockNum }, 'committed')`. */
export function createLogger(name: string, level: string, output: DestinationStream = standardOutput()): Logger {
  return pino({ name, level, base: { pid: process.pid }, serializers: { error: describeError } }, output);
}

/** Written at once: the last lines before an end are the ones that matter. */
function standardOutput(): DestinationStream {
  return destination({ dest: process.stdout.fd, sync: true });
}

/** An error as logs show it: ours with its code, and the cause. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described = stdSerializers.err(error);
  return error instanceof HistoryError ? { ...described, code: error.code } : described;
}
