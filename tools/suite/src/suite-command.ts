import path from 'node:path';
import { abortableSleep } from '@antelope-history/connections';
import {
  createProgressView,
  ProgressReport,
  type ProgressView,
  recordingSource,
  type Replay,
  requireFreePort,
  sampleSource,
  ServiceClient,
  startReplay,
  stopChild,
} from '@antelope-history/quick-start';
import type { CommandLine } from './command-line';
import { startSuite, type Suite } from './suite';

const LOG_FOLDER = path.resolve(__dirname, '../../../data/suite');
const HOST = '127.0.0.1';
const POLL_MS = 500;

/** The running command: what it opened, and what it has said. */
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
    this.replay = await startReplay(source.folder, process.env);
    return this.replay.url;
  }

  private describe({ url, operationsUrl, apps, set }: Suite): void {
    this.view.print(`Gateway  ${url}`);
    this.view.print(`Status   ${operationsUrl}/`);
    for (const [name, server] of set.servers) this.view.print(`Server   ${name} ${withoutUser(server)}`);
    this.view.print(`Names    ${set.name}: the virtual host; indices and keys begin with it`);
    this.view.print(`Apps     ${apps.map(({ name, pid }) => `${name} ${pid}`).join(', ')}`);
    this.view.print(`Logs     ${LOG_FOLDER}`);
  }

  private async follow(suite: Suite): Promise<void> {
    const { url, operationsUrl } = suite;
    const client = new ServiceClient({ url, operationsUrl });
    const onStop = 'stops all and removes what was kept.';
    const report = new ProgressReport(this.view, { url, operationsUrl, replay: this.replay, onStop });
    while (!this.stopping.signal.aborted) {
      const [figures, ofGateway] = await Promise.all([suite.figures(), client.readFigures()]);
      if (ofGateway) await report.show({ ...figures, health: ofGateway.health });
      await abortableSleep(POLL_MS, this.stopping.signal);
    }
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
