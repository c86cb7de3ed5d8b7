import { parseArgs } from 'node:util';
import { HistoryError } from '@antelope-history/schemas';
import { loadConfig } from './config/load-config';
import type { ConfigFor, ServerSection } from './config/server-sections';
import { createLogger, type Logger } from './logger';
import { createProcessRegistry, type Registry } from './metrics';
import { keepObjectsYoung } from './young-objects';

export interface Program<Used extends ServerSection = ServerSection> {
  name: string;
  /** The server sections that the program uses: `config` has no others, and no secrets of the others are read. */
  uses: readonly Used[];
  /** Composes the program; resolves when it runs. When it rejects, everything registered with `onStop` is closed. */
  start(context: ProgramContext<Used>): Promise<void>;
}

export interface ProgramContext<Used extends ServerSection = ServerSection> {
  config: ConfigFor<Used>;
  log: Logger;
  registry: Registry;
  /** Registers a function that runs when the program stops, in reverse order of registration. */
  onStop(close: () => void | Promise<void>): void;
  /** Stops the program with an error, because one of its components failed permanently. */
  fail(error: unknown): void;
}

/** The subset of `process` that a program uses. */
export interface ProgramHost {
  argv: string[];
  env: NodeJS.ProcessEnv;
  on(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
}

/** Below the ten seconds after which Docker kills a container. */
const STOP_LIMIT_MS = 8_000;
/** npm and Nx forward a signal to a child that has possibly received it already: a signal this soon is a duplicate. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs a program until a signal or a failure, then stops it in order and within a time limit. A second signal, at least half a
 * second later, exits at once. The only caller of `process.exit`: with 0 after a signal, with 1 after a failure.
 */
export function runProgram<const Used extends ServerSection>(
  program: Program<Used>,
  host: ProgramHost = process,
): void {
  keepObjectsYoung();
  const loaded = loadOrExit(program, host);
  if (!loaded) return;
  const { config, log } = loaded;
  const stopper = new Stopper(log, host);
  const fail = (error: unknown): void => {
    logFatal(log, error);
    stopper.stop(1);
  };
  stopOnSignals(stopper, log, host);
  host.on('unhandledRejection', fail);
  host.on('uncaughtException', fail);

  const registry = createProcessRegistry();
  const onStop = (close: Close): void => void stopper.closers.push(close);
  program.start({ config, log, registry, onStop, fail }).then(() => log.info('running'), fail);
}

/** Undefined when the configuration is wrong: then it has exited. */
function loadOrExit<Used extends ServerSection>(
  { name, uses }: Program<Used>,
  host: ProgramHost,
): { config: ConfigFor<Used>; log: Logger } | undefined {
  const warnings: string[] = [];
  try {
    const warn = (message: string): void => void warnings.push(message);
    const config = loadConfig(host.env, { file: readConfigOption(host.argv.slice(2)), uses, warn });
    const log = createLogger(name, config.logLevel);
    for (const warning of warnings) log.warn(warning);
    return { config, log };
  } catch (error) {
    logFatal(createLogger(name, 'info'), error);
    host.exit(1);
    return undefined;
  }
}

/** The value of `--config`, the only option of an app. */
function readConfigOption(args: string[]): string | undefined {
  try {
    return parseArgs({ args, options: { config: { type: 'string' } } }).values.config;
  } catch (error) {
    throw new HistoryError('CONFIG_INVALID', 'the command line takes only --config PATH', { cause: error });
  }
}

type Close = () => void | Promise<void>;

/** Closes the components once, in reverse order, and exits. */
class Stopper {
  readonly closers: Close[] = [];
  isStopping = false;

  constructor(
    private readonly log: Logger,
    private readonly host: ProgramHost,
  ) {}

  stop(exitCode: number): void {
    if (this.isStopping) return;
    this.isStopping = true;
    const { log, host } = this;
    const limit = setTimeout(() => {
      log.error({ seconds: STOP_LIMIT_MS / 1000 }, 'stop took too long');
      host.exit(1);
    }, STOP_LIMIT_MS);
    void closeAll(this.closers, log).then((closed) => {
      clearTimeout(limit);
      log.info('stopped');
      host.exit(closed ? exitCode : 1);
    });
  }
}

function stopOnSignals(stopper: Stopper, log: Logger, host: ProgramHost): void {
  let signalledAt = -Infinity;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    host.on(signal, () => {
      if (performance.now() - signalledAt < SAME_SIGNAL_MS) return;
      signalledAt = performance.now();
      if (stopper.isStopping) host.exit(1);
      log.info({ signal }, 'stopping');
      stopper.stop(0);
    });
  }
}

/** Resolves with whether every function ran without an error. */
async function closeAll(closers: Close[], log: Logger): Promise<boolean> {
  let closed = true;
  for (let close = closers.pop(); close; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      closed = false;
      log.error({ error }, 'a component did not stop cleanly');
    }
  }
  return closed;
}

/** A `HistoryError` states what to change, so that its log line has no stack trace. */
function logFatal(log: Logger, error: unknown): void {
  if (error instanceof HistoryError) log.fatal({ code: error.code }, error.message);
  else log.fatal({ error }, 'failed');
}
