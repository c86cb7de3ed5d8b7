import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, stopChild } from './child';
import { type CommandLine, QuickStartError } from './command-line';
import { findExamples, toCurl } from './examples';
import { ProgressMeter } from './progress-meter';
import { createProgressView, type ProgressView } from './progress-view';
import { type Replay, startReplay } from './replay';
import { startService, type Service } from './service';
import { ServiceClient, type ServiceFigures } from './service-client';
import { ERROR, type LogEntry } from './service-log';
import { createSetup, requireFreePort, type Setup, SHIP_URLS } from './setup';

const POLL_MS = 250;
/** A chain that takes longer than this shows its examples before all of it is indexed. */
const EXAMPLES_AFTER_MS = 30_000;
const EXAMPLES_EVERY_MS = 5_000;

const NODE_ADVICE =
  'Does the node run with state_history_plugin, and is this its state-history-endpoint? ' +
  'README.md says which options a node needs.';

/** The running quick start: what it opened, and what it has said. */
export class QuickStart {
  private readonly view: ProgressView = createProgressView(process.stdout);
  private readonly children: ChildProcess[] = [];
  private readonly meter = new ProgressMeter();
  private readonly startedAtMs = Date.now();
  private stopping = false;
  private nodeAdviceGiven = false;
  private examplesShown = false;
  private examplesTriedAtMs = 0;

  /** Runs until `stop` or until a child ends by itself, which rejects. */
  async run(options: CommandLine, environment: NodeJS.ProcessEnv, cwd: string): Promise<void> {
    try {
      const setup = createSetup(options, environment, cwd);
      await requireFreePort(setup.config.gateway);
      this.view.print(`Source   ${setup.source.name}`);
      const replay = await this.startReplay(setup);
      if (this.stopping) return;
      const service = this.startService(setup);
      await this.follow(new ServiceClient(service.url), service, replay);
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

  private startService(setup: Setup): Service {
    const service = startService(setup, (entry) => this.report(entry, setup));
    this.children.push(service.child);
    this.view.print(`Gateway  ${service.url}`);
    this.view.print(`Data     ${shortPath(setup.config.store.path)}`);
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

  private async follow(client: ServiceClient, service: Service, replay: Replay | undefined): Promise<void> {
    while (!this.stopping) {
      if (hasEnded(service.child)) {
        throw new QuickStartError(`The service ended: the reason is above, and all it said in ${service.logFile}.`);
      }
      const figures = await client.readFigures();
      if (figures) {
        this.showProgress(figures, replay);
        await this.showExamplesWhenDue(client, service, isCaughtUp(figures, replay), figures);
      }
      await sleep(POLL_MS);
    }
  }

  private showProgress(figures: ServiceFigures, replay: Replay | undefined): void {
    const { health, committedBlock: block, indexedBlocks, indexedActions } = figures;
    const sample = { atMs: Date.now(), block, blocks: indexedBlocks, actions: indexedActions };
    const target = replay?.lastBlockNum ?? health.head_block_num ?? undefined;
    const progress = this.meter.measure(sample, target);
    const atRest = replay !== undefined && this.examplesShown;
    if (block > 0 && !atRest) this.view.show(progress);
  }

  private async showExamplesWhenDue(
    client: ServiceClient,
    service: Service,
    caughtUp: boolean,
    figures: ServiceFigures,
  ): Promise<void> {
    const now = Date.now();
    if (this.examplesShown || !(caughtUp || now - this.startedAtMs > EXAMPLES_AFTER_MS)) return;
    if (now - this.examplesTriedAtMs < EXAMPLES_EVERY_MS) return;
    this.examplesTriedAtMs = now;
    const examples = await findExamples(client);
    if (!examples) return;
    this.examplesShown = true;
    this.view.close();
    const seconds = ((now - this.startedAtMs) / 1000).toFixed(1);
    const lines = [
      '',
      `Ready after ${seconds} s. ${describeIndexed(figures)}. Try it:`,
      '',
      ...examples.map((example) => toCurl(service.url, example)),
      '',
      `State: ${service.url}/health  Metrics: ${service.url}/metrics  Ctrl-C stops; the next start goes on from here.`,
    ];
    for (const line of lines) this.view.print(line);
  }

  private async close(): Promise<void> {
    this.stopping = true;
    this.view.close();
    for (let child = this.children.pop(); child; child = this.children.pop()) await stopChild(child);
  }
}

function describeIndexed({ committedBlock, indexedBlocks, indexedActions }: ServiceFigures): string {
  const run = `this run indexed ${indexedBlocks.toLocaleString('en')} blocks, ${indexedActions.toLocaleString('en')} actions`;
  return `Committed up to block ${committedBlock.toLocaleString('en')}; ${run}`;
}

/** As short as a person can use it from where they are. */
function shortPath(file: string): string {
  const relative = path.relative('', file);
  return relative === '' || relative.startsWith('..') ? path.resolve(file) : relative;
}

/** A recording has an end; a node is reached when the service says so. */
function isCaughtUp({ health, committedBlock }: ServiceFigures, replay: Replay | undefined): boolean {
  if (!replay) return health.status === 'ok';
  return replay.atEnd() && committedBlock >= replay.lastBlockNum;
}
