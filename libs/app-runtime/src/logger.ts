import { pino, type DestinationStream, levels, type Logger, type SerializedError, stdSerializers } from 'pino';
import { HistoryError } from '@antelope-history/schemas';
import { openLogOutput } from './log-output';

export type { Logger } from 'pino';

/** An entry of level `error` or `fatal`. */
export interface LoggedError {
  /** Milliseconds since 1970. */
  at: number;
  code: string | undefined;
  message: string;
}

const ERROR = levels.values['error'] ?? 50;
const lastErrors = new WeakMap<Logger, { last: LoggedError | undefined }>();

/** Writes JSON lines to `output`. The object is the first argument, the message the second: `log.info({ blockNum }, 'committed')`. */
export function createLogger(
  name: string,
  level: string,
  output: DestinationStream = openLogOutput(process.stdout.fd),
): Logger {
  const errors: { last: LoggedError | undefined } = { last: undefined };
  const log = pino(
    {
      name,
      level,
      base: { pid: process.pid },
      serializers: { error: describeError },
      hooks: {
        logMethod(args, write, levelNumber) {
          if (levelNumber >= ERROR) errors.last = toLoggedError(args);
          write.apply(this, args);
        },
      },
    },
    output,
  );
  lastErrors.set(log, errors);
  return log;
}

/** The last entry of level `error` or higher of a logger of `createLogger` and of its children, if it is logged at all. */
export function lastErrorOf(log: Logger): LoggedError | undefined {
  return lastErrors.get(log)?.last;
}

/** Messages that other processes show have at most this length. */
const MESSAGE_LIMIT = 200;

/** `args`: what was passed to the logger: a message, or an object and a message. */
function toLoggedError(args: unknown[]): LoggedError {
  const message = args.find((arg) => typeof arg === 'string') ?? '';
  return { at: Date.now(), code: codeOf(args[0]), message: message.slice(0, MESSAGE_LIMIT) };
}

/** The code of `{ code }` or of `{ error: { code } }`. */
function codeOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  if ('code' in entry && typeof entry.code === 'string') return entry.code;
  return 'error' in entry ? codeOf(entry.error) : undefined;
}

/** A text of an error, which can come from another server, is cut to this many characters. */
const TEXT_LIMIT = 8_192;
/** Node.js tries to connect to a few addresses of a server. */
const MAX_AGGREGATED = 8;

/**
 * The logged form of an error: pino's, with the code of a `HistoryError`. Texts are cut, and properties that are objects are left out:
 * an error of node:http's parser has the packet that another server sent.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described = shortened(stdSerializers.err(error));
  return error instanceof HistoryError ? { ...described, code: error.code } : described;
}

function shortened({ aggregateErrors, ...error }: SerializedError): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(error)) {
    if (typeof value === 'string') described[name] = value.slice(0, TEXT_LIMIT);
    else if (typeof value === 'number' || typeof value === 'boolean') described[name] = value;
  }
  const parts = aggregateErrors as SerializedError[] | undefined;
  if (parts) described['aggregateErrors'] = parts.slice(0, MAX_AGGREGATED).map(shortened);
  return described;
}
