import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createProgressView,
  findExamples,
  ProgressMeter,
  type ProgressView,
  recordingSource,
  type Replay,
  requireFreePort,
  sampleSource,
  ServiceClient,
  startReplay,
  stopChild,
  toCurl,
} from '@antelope-history/quick-start';
import type { CommandLine } from './command-line';
import { startSuite, type Suite } from './suite';
import type { SuiteFigures } from './suite-figures';

const LOG_FOLDER = path.resolve(__dirname, '../../../data/suite');
const HOST = '127.0.0.1';
const POLL_MS = 500;
const EXAMPLES_EVERY_MS = 5_000;
/** A chain that takes longer than this shows its examples before all of it is indexed. */
const EXAMPLES_AFTER_MS = 30_000;

/** The running command: what it opened, and what it has said. */
export class SuiteCommand {
  private readonly view: ProgressView = createProgressView(process.stdout);
  private readonly meter = new ProgressMeter();
  private readonly startedAtMs = Date.now();
  private readonly stopping = new AbortController();
  private failure: Error | undefined;
  private examplesShown = false;
  private examplesTriedAtMs = 0;
  private replay: Replay | undefined;
  private suite: Suite | undefined;

  /** Runs until `stop`, or until an app cannot be kept running, which rejects. */
  async run(options: CommandLine, cwd: string): Promise<void> {
    try {
      await requireFreePort({ host: HOST, port: options.port });
      const shipUrl = options.ship ?? (await this.startReplay(options.recording, cwd));
      this.suite = await startSuite({
        ...options,
        shipUrl,
        logFolder: LOG_FOLDER,
        report: (line) => this.view.print(line),
        fail: (error) => this.fail(error),
      });
      this.describe(this.suite);
      while (!this.stopping.signal.aborted) await this.look(this.suite);
      if (this.failure) throw this.failure;
    } finally {
      await this.close();
    }
  }

  stop(): void {
    if (!this.stopping.signal.aborted) this.view.print('Stopping ...');
    this.stopping.abort();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.stopping.abort();
  }

  private async startReplay(folder: string | undefined, cwd: string): Promise<string> {
    const source = folder === undefined ? sampleSource() : recordingSource(path.resolve(cwd, folder));
    this.view.print(`Source   ${source.name}`);
    this.replay = await startReplay(source.folder, process.env);
    return this.replay.url;
  }

  private describe({ url, apps, set }: Suite): void {
    this.view.print(`Gateway  ${url}`);
    for (const [name, server] of set.servers) this.view.print(`Server   ${name} ${withoutUser(server)}`);
    this.view.print(`Names    ${set.name}: the virtual host; indices and keys begin with it`);
    this.view.print(`Apps     ${apps.map(({ name, pid }) => `${name} ${pid}`).join(', ')}`);
    this.view.print(`Logs     ${LOG_FOLDER}`);
  }

  private async look(suite: Suite): Promise<void> {
    const figures = await suite.figures();
    const client = new ServiceClient(suite.url);
    const health = (await client.readFigures())?.health;
    const target = this.replay?.lastBlockNum ?? health?.head_block_num ?? undefined;
    const { committedBlock: block, indexedBlocks: blocks, indexedActions: actions } = figures;
    const progress = this.meter.measure({ atMs: Date.now(), block, blocks, actions }, target);
    const atRest = this.replay !== undefined && this.examplesShown;
    if (block > 0 && !atRest) this.view.show(progress);
    const caughtUp = this.replay ? this.replay.atEnd() && block >= this.replay.lastBlockNum : health?.status === 'ok';
    await this.showExamplesWhenDue(suite, client, caughtUp, figures);
    await sleep(POLL_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private async showExamplesWhenDue(suite: Suite, client: ServiceClient, caughtUp: boolean, figures: SuiteFigures) {
    const now = Date.now();
    if (this.examplesShown || !(caughtUp || now - this.startedAtMs > EXAMPLES_AFTER_MS)) return;
    if (now - this.examplesTriedAtMs < EXAMPLES_EVERY_MS) return;
    this.examplesTriedAtMs = now;
    const examples = await findExamples(client);
    if (!examples) return;
    this.examplesShown = true;
    this.view.close();
    const { committedBlock, indexedActions } = figures;
    const seconds = ((now - this.startedAtMs) / 1000).toFixed(1);
    const lines = [
      '',
      `Ready after ${seconds} s: committed up to block ${committedBlock.toLocaleString('en')}, ` +
        `${indexedActions.toLocaleString('en')} actions. Try it:`,
      '',
      ...examples.map((example) => toCurl(suite.url, example)),
      '',
      `State: ${suite.url}/health  Metrics: ${suite.url}/metrics  Ctrl-C stops all and removes what was kept.`,
    ];
    for (const line of lines) this.view.print(line);
  }

  private async close(): Promise<void> {
    this.stopping.abort();
    this.view.close();
    await this.suite?.stop();
    if (this.replay) await stopChild(this.replay.child);
  }
}

/** Passwords are not for screens. */
function withoutUser(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
