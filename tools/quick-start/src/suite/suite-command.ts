import path from 'node:path';
import { abortableSleep } from '@antelope-history/connectivity';
import { type Replay, ServiceClient, type Suite, startReplay, startSuite, stop } from '@antelope-history/processes';
import { ProgressReport } from '../progress-report';
import { createProgressView, type ProgressView } from '../progress-view';
import { requireRunning } from '../require-running';
import { recordingSource, requireFreePort, sampleSource, WORKSPACE } from '../setup';
import type { CommandLine } from './command-line';

const LOG_FOLDER = path.join(WORKSPACE, 'data/suite');
const HOST = '127.0.0.1';
const POLL_MS = 500;

/** The running command `npm run suite`. */
export class SuiteCommand {
  private readonly view: ProgressView = createProgressView(process.stdout);
  private readonly stopping = new AbortController();
  private failure: Error | undefined;
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
        // The node of a recording sends nothing more after its end.
        ...(this.replay && { environment: { HISTORY_SHIP__SILENCE_SECONDS: '0' } }),
        logFolder: LOG_FOLDER,
        report: (line) => this.view.print(line),
        fail: (error) => this.fail(error),
      });
      this.describe(this.suite);
      await this.follow(this.suite);
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
    this.replay = await startReplay(source.folder);
    return this.replay.url;
  }

  private describe({ url, operationsUrl, apps, set }: Suite): void {
    this.view.field('Gateway', url);
    this.view.field('Page', `${operationsUrl}/`);
    for (const [name, server] of set.servers) this.view.field('Server', `${name} ${withoutUser(server)}`);
    this.view.field('Names', `${set.name}: the virtual host; indices and keys begin with it`);
    this.view.field('Apps', apps.map(({ name, pid }) => `${name} ${pid}`).join(', '));
    this.view.field('Logs', LOG_FOLDER);
  }

  private async follow(suite: Suite): Promise<void> {
    const { url, operationsUrl } = suite;
    const client = new ServiceClient({ url, operationsUrl });
    const onStop = 'stops all processes and removes their data.';
    const report = new ProgressReport(this.view, { url, operationsUrl, replay: this.replay, onStop });
    while (!this.stopping.signal.aborted) {
      requireRunning(this.replay);
      if (report.isDue) {
        const [figures, ofGateway] = await Promise.all([suite.figures(), client.readFigures()]);
        if (ofGateway) await report.show({ ...figures, health: ofGateway.health });
      }
      await abortableSleep(POLL_MS, this.stopping.signal);
    }
  }

  private async close(): Promise<void> {
    this.stopping.abort();
    this.view.close();
    await this.suite?.stop();
    if (this.replay) await stop(this.replay.child);
  }
}

/** A server's URL may hold a password, which must not be shown. */
function withoutUser(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
