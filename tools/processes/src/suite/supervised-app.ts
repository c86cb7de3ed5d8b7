import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortableSleep } from '@antelope-history/connectivity';
import { findFreePorts } from '@antelope-history/servers';
import { AppLogFile, ERROR, type LogEntry } from '../app-log';
import { type AppProcess, startApp } from '../app-process';
import { hasEnded } from '../program';
import { StartError } from '../start-error';
import { type AppName, OPERATIONS_PORT_VARIABLES, PORT_VARIABLES } from './apps';

const START_LIMIT_MS = 60_000;
/** An app that ends more often than this within RESTARTS_WITHIN_MS is not restarted. */
const RESTARTS = 5;
const RESTARTS_WITHIN_MS = 60_000;
/** Number of error lines that are reported when an app ends: a stack trace has several lines. */
const MAX_ERRORS = 8;
const RESTART_DELAY_MS = 1_000;
/** Another program may take a free port before the app listens on it; then the app gets others. */
const PORT_ATTEMPTS = 3;
const PORT_TAKEN = 'cannot listen on';

export interface SupervisedAppOptions {
  app: AppName;
  /** Unique name of this process: `indexer-2`. */
  name: string;
  /** Variables that are added to the environment of this process. */
  environment: NodeJS.ProcessEnv;
  /** Port where it listens; a free one by default. */
  port?: number;
  args?: string[];
  /** Directory of its log file. */
  logFolder: string;
  /** Called with messages for a person: the app's errors, and its restarts. */
  report(line: string): void;
  /** Called when the app cannot be kept running. */
  fail(error: Error): void;
}

/** An app in a process of its own that is restarted when it ends by itself, as a process manager does. */
export class SupervisedApp {
  private running: AppProcess | undefined;
  private listening: string | undefined;
  private operations: string | undefined;
  private ports: { own: number; operations: number } | undefined;
  private readonly stopping = new AbortController();
  private readonly endedAtMs: number[] = [];
  private readonly log: AppLogFile;

  constructor(private readonly options: SupervisedAppOptions) {
    this.log = new AppLogFile(options.logFolder, `${options.name}.log`);
  }

  get app(): AppName {
    return this.options.app;
  }

  get name(): string {
    return this.options.name;
  }

  /** Id of the running process; 0 while none runs. */
  get pid(): number {
    const { child } = this.running ?? {};
    return child && !hasEnded(child) ? (child.pid ?? 0) : 0;
  }

  /** URL where it listens for requests. A restart keeps it. */
  get url(): string {
    if (this.listening === undefined) throw new Error(`${this.name} does not listen`);
    return this.listening;
  }

  /** URL of its operations listener. A restart keeps it. */
  get operationsUrl(): string {
    if (this.operations === undefined) throw new Error(`${this.name} has no operations listener`);
    return this.operations;
  }

  /** Resolves when the app runs; rejects with its last errors when it does not. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.choosePorts();
      try {
        await this.run();
        return;
      } catch (error) {
        if (attempt === PORT_ATTEMPTS || !this.hasOtherPorts((error as Error).message)) throw error;
        this.ports = undefined;
      }
    }
  }

  /**
   * Not any port of the system's choice: while the app is restarted, an outgoing connection of another process could take that, and the
   * app could not listen on it again.
   */
  private async choosePorts(): Promise<void> {
    if (this.ports) return;
    const [operations = 0, free = 0] = await findFreePorts(2);
    this.ports = { operations, own: this.options.port || free };
  }

  /** Whether an app that did not start can start on other ports: unless the port that is taken was asked for. */
  private hasOtherPorts(reason: string): boolean {
    const { port } = this.options;
    return reason.includes(PORT_TAKEN) && !(port && reason.includes(`:${port}`));
  }

  private async run(): Promise<void> {
    const { app, name, args = [], environment } = this.options;
    const errors: string[] = [];
    this.running = startApp(app, {
      args,
      environment: { ...environment, ...this.portVariables() },
      onEntry: (entry, line) => {
        this.log.append(line);
        this.readEntry(entry);
        if (entry.level >= ERROR && errors.push(entry.msg) > MAX_ERRORS) errors.shift();
      },
    });
    const { child, logged } = this.running;
    const ended = once(child, 'close').then(() => `ended: ${errors.join('\n') || 'it logged no error'}`);
    // When the app ends first, `ended` has the reason.
    const running = logged('running').then(
      () => undefined,
      () => ended,
    );
    const late = sleep(START_LIMIT_MS, `does not run after ${START_LIMIT_MS / 1000} s`, { ref: false });
    const failure = await Promise.race([running, late]);
    if (failure !== undefined) {
      child.kill('SIGKILL');
      throw new StartError(`${name} ${failure}; its log is ${this.log.file}`);
    }
    void ended.then((reason) => this.restart(reason));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running?.stop();
  }

  private portVariables(): Record<string, string> {
    const { app } = this.options;
    const { own = 0, operations = 0 } = this.ports ?? {};
    const variable = PORT_VARIABLES[app];
    return {
      [OPERATIONS_PORT_VARIABLES[app]]: String(operations),
      ...(variable !== undefined && { [variable]: String(own) }),
    };
  }

  private readEntry({ level, msg, code, url }: LogEntry): void {
    if (msg === 'listening') this.listening = url;
    if (msg === 'operations listening') this.operations = url;
    if (level >= ERROR) this.options.report(`${this.name}: ${msg}${code === undefined ? '' : ` (${code})`}`);
  }

  private async restart(reason: string): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { report, fail, name } = this.options;
    this.endedAtMs.push(Date.now());
    const recent = this.endedAtMs.filter((at) => Date.now() - at < RESTARTS_WITHIN_MS).length;
    if (recent > RESTARTS) {
      fail(new StartError(`${name} ended ${recent} times within a minute; now it ${reason}`));
      return;
    }
    report(`${name} ended; it is started again`);
    const { signal } = this.stopping;
    await abortableSleep(RESTART_DELAY_MS, signal);
    if (!signal.aborted) await this.run().catch((error: unknown) => this.restart((error as Error).message));
  }
}
