import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, stopChild } from './child';
import { type CommandLine, QuickStartError } from './command-line';
import { ProgressReport } from './progress-report';
import { createProgressView, type ProgressView } from './progress-view';
import { type Replay, startReplay } from './replay';
import { startService, type Service } from './service';
import { ServiceClient } from './service-client';
import { ERROR, type LogEntry } from './service-log';
import { chooseOperationsPort, createSetup, requireFreePort, type Setup, SHIP_URLS } from './setup';

const POLL_MS = 250;

const NODE_ADVICE =
  'Does the node run with state_history_plugin, and is this its state-history-endpoint? ' +
  'README.md says which options a node needs.';

/** The running quick start: what it opened, and what it has said. */
export class QuickStart {
  private readonly view: ProgressView = createProgressView(process.stdout);
  private readonly children: ChildProcess[] = [];
  private stopping = false;
  private nodeAdviceGiven = false;

  /** Runs until `stop` or until a child ends by itself, which rejects. */
  async run(options: CommandLine, environment: NodeJS.ProcessEnv, cwd: string): Promise<void> {
    try {
      const setup = createSetup(options, environment, cwd);
      await requireFreePort(setup.config.gateway);
      this.view.print(`Source   ${setup.source.name}`);
      const replay = await this.startReplay(setup);
      if (this.stopping) return;
      const service = this.startService(setup, await chooseOperationsPort(setup.config.ops));
      await this.follow(service, replay);
    } finally {
      await this.close();
    }
  }

  /** Stops what runs, in order: the service first, so that it does not miss its source. */
  stop(): void {
    if (this.stopping) for (const child of this.children) child.kill('SIGKILL');
    else this.view.print('Stopping ...');
    this.stopping = true;
  }

  private async startReplay({ source, environment }: Setup): Promise<Replay | undefined> {
    if (source.kind !== 'recording') return undefined;
    const replay = await startReplay(source.folder, environment);
    this.children.push(replay.child);
    environment[SHIP_URLS] = replay.url;
    return replay;
  }

  private startService(setup: Setup, operationsPort: number): Service {
    const service = startService(setup, operationsPort, (entry) => this.report(entry, setup));
    this.children.push(service.child);
    this.view.print(`Gateway  ${service.url}`);
    if (service.openAddress !== undefined) {
      this.view.print(`Open     it listens on ${service.openAddress}: whoever reaches this machine can send requests`);
    }
    this.view.print(`Status   ${service.operationsUrl}/`);
    this.view.print(`Data     ${shortPath(setup.config.store.lmdb.path)}`);
    this.view.print(`Log      ${shortPath(service.logFile)}`);
    return service;
  }

  private report({ level, msg, code }: LogEntry, { source }: Setup): void {
    if (this.stopping) return;
    this.view.print(`${level >= ERROR ? 'error' : 'warning'}: ${msg}${code === undefined ? '' : ` (${code})`}`);
    if (code === 'SHIP_DISCONNECTED' && source.kind === 'node' && !this.nodeAdviceGiven) {
      this.nodeAdviceGiven = true;
      this.view.print(NODE_ADVICE);
    }
  }

  private async follow(service: Service, replay: Replay | undefined): Promise<void> {
    const { url, operationsUrl } = service;
    const client = new ServiceClient({ url, operationsUrl });
    const onStop = 'stops; the next start goes on from here.';
    const report = new ProgressReport(this.view, { url, operationsUrl, replay, onStop });
    while (!this.stopping) {
      if (hasEnded(service.child)) {
        throw new QuickStartError(`The service ended: the reason is above, and all it said in ${service.logFile}.`);
      }
      const figures = await client.readFigures();
      if (figures) await report.show(figures);
      await sleep(POLL_MS);
    }
  }

  private async close(): Promise<void> {
    this.stopping = true;
    this.view.close();
    for (let child = this.children.pop(); child; child = this.children.pop()) await stopChild(child);
  }
}

/** As short as a person can use it from where they are. */
function shortPath(file: string): string {
  const relative = path.relative('', file);
  return relative === '' || relative.startsWith('..') ? path.resolve(file) : relative;
}
