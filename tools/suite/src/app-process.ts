import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortableSleep } from '@antelope-history/connections';
import {
  ERROR,
  hasEnded,
  parseLogLine,
  QuickStartError,
  ServiceLogFile,
  startChild,
  stopChild,
} from '@antelope-history/quick-start';
import { type AppKind, OPERATIONS_PORT_VARIABLES, PORT_VARIABLES } from './apps';

const WORKSPACE = path.resolve(__dirname, '../../..');
const START_LIMIT_MS = 60_000;
/** An app that ends more often in so long is not restarted again. */
const RESTARTS = 5;
const RESTARTS_WITHIN_MS = 60_000;
/** So many of the last are told when it ends: a stack has several lines. */
const MOST_ERRORS = 8;
const RESTART_DELAY_MS = 1_000;

export interface AppOptions {
  kind: AppKind;
  /** Tells it from others of its kind: `indexer-2`. */
  name: string;
  /** The whole environment. */
  environment: NodeJS.ProcessEnv;
  /** Where it listens; a free one by default. */
  port?: number;
  args?: string[];
  /** Where its log is kept. */
  logFolder: string;
  /** Told what a person should know: its errors, and that it is started again. */
  report(line: string): void;
  /** Called when it cannot be kept running. */
  fail(error: Error): void;
}

/** An app in a process of its own, which is started again when it ends by itself, as a process manager would. */
export class AppProcess {
  private child: ChildProcess | undefined;
  private listening: string | undefined;
  private operations: string | undefined;
  private readonly stopping = new AbortController();
  private readonly endedAtMs: number[] = [];
  private readonly log: ServiceLogFile;

  constructor(private readonly options: AppOptions) {
    this.log = new ServiceLogFile(options.logFolder, `${options.name}.log`);
  }

  get kind(): AppKind {
    return this.options.kind;
  }

  get name(): string {
    return this.options.name;
  }

  /** Of the process that runs now; 0 between two. */
  get pid(): number {
    return this.child && !hasEnded(this.child) ? (this.child.pid ?? 0) : 0;
  }

  /** Where it answers requests. The same after a restart. */
  get url(): string {
    if (this.listening === undefined) throw new Error(`${this.name} does not listen`);
    return this.listening;
  }

  /** Of its operations listener. The same after a restart. */
  get operationsUrl(): string {
    if (this.operations === undefined) throw new Error(`${this.name} has no operations listener`);
    return this.operations;
  }

  /** Resolves when it runs; rejects with what it said when it does not. */
  async start(): Promise<void> {
    const { kind, name, args = [], environment } = this.options;
    const env = { ...environment, ...this.portVariables() };
    const child = startChild(path.join(WORKSPACE, `apps/${kind}/dist/main.js`), args, env);
    this.child = child;
    const errors: string[] = [];
    const running = new Promise<void>((resolve) => {
      this.readLog(child, ({ level, msg }) => {
        if (level >= ERROR && errors.push(msg) > MOST_ERRORS) errors.shift();
        if (msg === 'running') resolve();
      });
    });
    const ended = once(child, 'exit').then(() => `ended: ${errors.join('\n') || 'it did not say why'}`);
    const late = sleep(START_LIMIT_MS, `does not run after ${START_LIMIT_MS / 1000} s`, { ref: false });
    const trouble = await Promise.race([running, ended, late]);
    if (trouble !== undefined) {
      child.kill('SIGKILL');
      throw new QuickStartError(`${name} ${trouble}; its log is ${this.log.file}`);
    }
    void ended.then((reason) => this.restart(reason));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.child) await stopChild(this.child);
  }

  private portVariables(): Record<string, string> {
    const { kind, port = 0 } = this.options;
    const portOf = (url: string | undefined, first: number): string =>
      url === undefined ? String(first) : new URL(url).port;
    const variable = PORT_VARIABLES[kind];
    return {
      [OPERATIONS_PORT_VARIABLES[kind]]: portOf(this.operations, 0),
      ...(variable !== undefined && { [variable]: portOf(this.listening, port) }),
    };
  }

  private readLog(child: ChildProcess, entry: (entry: { level: number; msg: string }) => void): void {
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output as Readable }).on('line', (line) => {
        this.log.append(line);
        const { level, msg, code, url } = parseLogLine(line);
        if (msg === 'listening') this.listening = url;
        if (msg === 'operations listening') this.operations = url;
        if (level >= ERROR) this.options.report(`${this.name}: ${msg}${code === undefined ? '' : ` (${code})`}`);
        entry({ level, msg });
      });
    }
  }

  private async restart(reason: string): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { report, fail, name } = this.options;
    this.endedAtMs.push(Date.now());
    const lately = this.endedAtMs.filter((at) => Date.now() - at < RESTARTS_WITHIN_MS).length;
    if (lately > RESTARTS) {
      fail(new QuickStartError(`${name} ended ${lately} times within a minute; now it ${reason}`));
      return;
    }
    report(`${name} ended; it is started again`);
    const { signal } = this.stopping;
    await abortableSleep(RESTART_DELAY_MS, signal);
    if (!signal.aborted) await this.start().catch((error: unknown) => this.restart((error as Error).message));
  }
}
