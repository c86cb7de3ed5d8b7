import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ERROR,
  hasEnded,
  type LogEntry,
  type Replay,
  ServiceClient,
  StartError,
  startReplay,
  stop,
} from '@antelope-history/processes';
import type { CommandLine } from './command-line';
import { ProgressReport } from './progress-report';
import { createProgressView, type ProgressView } from './progress-view';
import { requireRunning } from './require-running';
import { startService, type Service, type ServicePorts } from './service';
import {
  chooseOperationsPort,
  createSetup,
  requireFreePort,
  requireUsableData,
  type Setup,
  SHIP_SILENCE,
  SHIP_URLS,
} from './setup';

const POLL_MS = 250;

const NODE_ADVICE =
  'Does the node run with state_history_plugin, and is this its state-history-endpoint? ' +
  'README.md says which options a node needs.';

/** Codes with which the service refuses a source that is not on the chain of the data. */
const OTHER_CHAIN_CODES = ['CHAIN_ID_MISMATCH', 'FORK_TOO_DEEP'];

/** The running command `npm start`. */
export class QuickStart {
  private readonly view: ProgressView = createProgressView(process.stdout);
  private readonly children: ChildProcess[] = [];
  private stopping = false;
  private nodeAdviceGiven = false;
  private isOtherChain = false;

  /** Runs until `stop` or until a child ends by itself, which rejects. */
  async run(options: CommandLine, environment: NodeJS.ProcessEnv, cwd: string): Promise<void> {
    try {
      const setup = createSetup(options, environment, cwd);
      const port = await requireFreePort(setup.config.gateway);
      await requireUsableData(setup.config);
      this.view.field('Source', setup.source.name);
      const replay = await this.startReplay(setup);
      if (this.stopping) return;
      const service = this.startService(setup, { port, operationsPort: await chooseOperationsPort(setup.config.ops) });
      await this.follow(setup, service, replay);
    } finally {
      await this.close();
    }
  }

  /** Stops the service first, then its source, so that the service logs no lost connection. A second call kills both. */
  stop(): void {
    if (this.stopping) for (const child of this.children) child.kill('SIGKILL');
    else this.view.print('Stopping ...');
    this.stopping = true;
  }

  private async startReplay({ source, environment }: Setup): Promise<Replay | undefined> {
    if (source.type !== 'recording') return undefined;
    const replay = await startReplay(source.folder);
    this.children.push(replay.child);
    environment[SHIP_URLS] = replay.url;
    // A recording ends, and its node then sends nothing more.
    environment[SHIP_SILENCE] ??= '0';
    return replay;
  }

  private startService(setup: Setup, ports: ServicePorts): Service {
    const service = startService(setup, ports, (entry) => this.report(entry, setup));
    this.children.push(service.child);
    this.view.field('Gateway', service.url);
    if (service.openAddress !== undefined) {
      this.view.field(
        'Open',
        `it listens on ${service.openAddress}: every machine that reaches this address can send requests`,
      );
    }
    this.view.field('Page', `${service.operationsUrl}/`);
    this.view.field('Data', shortPath(setup.config.store.lmdb.path));
    this.view.field('Log', shortPath(service.logFile));
    return service;
  }

  private report({ level, msg, code }: LogEntry, { source }: Setup): void {
    if (this.stopping) return;
    const severity = level >= ERROR ? 'error' : 'warning';
    this.view.print(`${severity}: ${msg}${code === undefined ? '' : ` (${code})`}`, severity);
    if (OTHER_CHAIN_CODES.includes(code ?? '')) this.isOtherChain = true;
    if (code === 'SHIP_DISCONNECTED' && source.type === 'node' && !this.nodeAdviceGiven) {
      this.nodeAdviceGiven = true;
      this.view.print(NODE_ADVICE, 'warning');
    }
  }

  private async follow(setup: Setup, service: Service, replay: Replay | undefined): Promise<void> {
    const { url, operationsUrl } = service;
    const client = new ServiceClient({ url, operationsUrl });
    const onStop = 'stops; the next start continues from this state.';
    const report = new ProgressReport(this.view, { url, operationsUrl, replay, onStop });
    while (!this.stopping) {
      if (hasEnded(service.child)) {
        throw new StartError(describeEnd(service));
      }
      requireRunning(replay);
      if (this.isOtherChain) throw new StartError(describeOtherChain(setup));
      const figures = report.isDue ? await client.readFigures() : undefined;
      if (figures) await report.show(figures);
      await sleep(POLL_MS);
    }
  }

  private async close(): Promise<void> {
    this.stopping = true;
    this.view.close();
    for (let child = this.children.pop(); child; child = this.children.pop()) await stop(child);
  }
}

function describeEnd({ child, logFile }: Service): string {
  const { signalCode: signal } = child;
  if (signal === null) return `The service ended: the reason is above, and its whole log is ${logFile}.`;
  const why = signal === 'SIGKILL' ? ': the system does so when memory runs out' : '';
  return `The service was ended by ${signal}${why}. Its log is ${logFile}.`;
}

function describeOtherChain({ source, config }: Setup): string {
  return (
    `${shortPath(config.store.lmdb.path)} holds another chain than ${source.name}: ` +
    'name another directory with --data, or the source of this data.'
  );
}

/** Relative to the working directory when the file is below it. */
function shortPath(file: string): string {
  const relative = path.relative('', file);
  return relative === '' || relative.startsWith('..') ? path.resolve(file) : relative;
}
