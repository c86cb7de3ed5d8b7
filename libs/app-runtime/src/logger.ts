import { destination, pino, type DestinationStream, type Logger, stdSerializers } from 'pino';
import { HistoryError } from '@antelope-history/schemas';

export type { Logger } from 'pino';

/** Writes JSON lines to `output`. The object is the first argument, the message the second: `log.info({ blockNum }, 'committed')`. */
export function createLogger(name: string, level: string, output: DestinationStream = standardOutput()): Logger {
  return pino({ name, level, base: { pid: process.pid }, serializers: { error: describeError } }, output);
}

/** Synchronous: the lines before a crash or an exit must not be lost in a buffer. */
function standardOutput(): DestinationStream {
  return destination({ dest: process.stdout.fd, sync: true });
}

/** The logged form of an error: pino's, with the code of a `HistoryError`. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described = stdSerializers.err(error);
  return error instanceof HistoryError ? { ...described, code: error.code } : described;
}
