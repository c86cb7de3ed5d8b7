import { HistoryError } from '@antelope-history/schemas';
import { type Config, loadConfig } from './config/load-config';
import { createLogger, type Logger } from './logger';
import { createProcessRegistry, type Registry } from './metrics';

export interface Program {
  name: string;
  /** Composes the program; resolves when it runs. What it opened by then is closed even when it rejects. */
  start(context: ProgramContext): Promise<void>;
}

export interface ProgramContext {
  config: Config;
  log: Logger;
  registry: Registry;
  /** Runs when the program stops; what was registered last runs first. */
  onStop(close: () => void | Promise<void>): void;
  /** Ends the program because a part of it failed for good. */
  fail(error: unknown): void;
}

/** The parts of `process` that a program uses. */
export interface ProgramHost {
  argv: string[];
  env: NodeJS.ProcessEnv;
  on(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
}

/** Below the ten seconds after which Docker kills. */
const STOP_LIMIT_MS = 8_000;
/** npm and Nx pass a signal on to a child that may have it already: what comes so soon after is the same one. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs a program until a signal or a failure, then stops it in order and within a time limit. A second signal, half a
 * second later or more, ends it at once. The only caller of `process.exit`: 0 after a signal, 1 after a failure.
 */
export function runProgram(program: Program, host: ProgramHost = process): void {
  let config: Config;
  try {
    config = loadConfig(host.argv.slice(2), host.env);
  } catch (error) {
    logFatal(createLogger(program.name, 'info'), error);
    host.exit(1);
    return;
  }
  const log = createLogger(program.name, config.logLevel);
  const closers: (() => void | Promise<void>)[] = [];
  let stopping = false;

  function stop(exitCode: number): void {
    if (stopping) return;
    stopping = true;
    const limit = setTimeout(() => {
      log.error({ seconds: STOP_LIMIT_MS / 1000 }, 'stop took too long');
      host.exit(1);
    }, STOP_LIMIT_MS);
    void closeAll(closers, log).then((closed) => {
      clearTimeout(limit);
      log.info('stopped');
      host.exit(closed ? exitCode : 1);
    });
  }

  function fail(error: unknown): void {
    logFatal(log, error);
    stop(1);
  }

  let signalledAt = -Infinity;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    host.on(signal, () => {
      if (performance.now() - signalledAt < SAME_SIGNAL_MS) return;
      signalledAt = performance.now();
      if (stopping) host.exit(1);
      log.info({ signal }, 'stopping');
      stop(0);
    });
  }
  host.on('unhandledRejection', fail);
  host.on('uncaughtException', fail);

  const registry = createProcessRegistry();
  const onStop = (close: () => void | Promise<void>) => void closers.push(close);
  program.start({ config, log, registry, onStop, fail }).then(() => log.info('running'), fail);
}

/** Whether all closed without an error. */
async function closeAll(closers: (() => void | Promise<void>)[], log: Logger): Promise<boolean> {
  let closed = true;
  for (let close = closers.pop(); close; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      closed = false;
      log.error({ error }, 'a part did not stop cleanly');
    }
  }
  return closed;
}

/** An operator's mistake needs no stack trace. */
function logFatal(log: Logger, error: unknown): void {
  if (error instanceof HistoryError) log.fatal({ code: error.code }, error.message);
  else log.fatal({ error }, 'failed');
}
