import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppLogFile, type AppProcess, hasEnded, startApp } from '@antelope-history/processes';
import { findFreePorts } from '@antelope-history/servers';
import { CLOCK_FILE_VARIABLE } from './clock-step';
import type { Fault, SetParts, SetUnderTest } from './fault';

/** Times that fit a run of seconds: every time-out passes within it. */
const ENVIRONMENT = {
  HISTORY_SHIP__SILENCE_SECONDS: '3',
  HISTORY_SHIP__RECONNECT_MIN_SECONDS: '0.05',
  HISTORY_SHIP__RECONNECT_MAX_SECONDS: '1',
  HISTORY_INDEXER__STALL_SECONDS: '2',
  HISTORY_GATEWAY__HOST: '127.0.0.1',
  HISTORY_OPS__GATEWAY_PORT: '0',
};
/** In every second seed: a machine with few processors has none by default. */
const THREADS = 2;
const RESTART_DELAY_MS = 50;
const MAX_STARTS = 20;
const HOUR_MS = 3_600_000;

/** Starts the whole service in one process, on the embedded set. */
export async function startEmbeddedSet({ urls, folder, random, chain, retainBlocks }: SetParts): Promise<SetUnderTest> {
  mkdirSync(folder, { recursive: true });
  const [port = 0] = await findFreePorts(1);
  const threads = String(chain.seed % 2 === 0 ? THREADS : 0);
  const service = new EmbeddedService(folder, {
    ...ENVIRONMENT,
    HISTORY_SHIP__URLS: urls.join(),
    HISTORY_STORE__LMDB__PATH: path.join(folder, 'data'),
    HISTORY_STORE__LMDB__RETAIN_BLOCKS: String(retainBlocks),
    HISTORY_GATEWAY__PORT: String(port),
    HISTORY_INDEXER__VERIFY_BLOCKS: random(2) ? 'all' : 'new',
    HISTORY_INDEXER__DESERIALIZER_THREADS: threads,
    HISTORY_API__THREADS: threads,
    [CLOCK_FILE_VARIABLE]: path.join(folder, 'clock'),
    NODE_OPTIONS: `--require ${path.resolve(__dirname, '../../dist/seeds/clock-step.js')}`,
  });
  await service.untilListening();
  return {
    url: `http://127.0.0.1:${port}`,
    faults: service.faults(),
    trial: undefined,
    killIndexing: () => service.end('SIGKILL'),
    calm: () => service.calm(),
    showStored: undefined,
    removesEachBlock: true,
    givenUp: service.givenUp,
    logFolder: folder,
    stop: () => service.stop(),
  };
}

class EmbeddedService {
  readonly givenUp: string[] = [];
  private app: AppProcess | undefined;
  private readonly log: AppLogFile;
  private isStopping = false;

  constructor(
    private readonly folder: string,
    private readonly environment: Record<string, string>,
  ) {
    this.log = new AppLogFile(folder, 'standalone.log');
  }

  /** Starts it, several times if need be: another process may take the port before it does. */
  async untilListening(): Promise<void> {
    for (let starts = 1; ; starts++) {
      try {
        await this.start();
        return;
      } catch (error) {
        if (this.isStopping || starts === MAX_STARTS) throw error;
      }
    }
  }

  private async start(): Promise<void> {
    const app = startApp('standalone', {
      environment: this.environment,
      onEntry: (_, line) => this.log.append(line),
    });
    this.app = app;
    const exited = once(app.child, 'exit');
    await app.logged('gateway listening');
    void exited.then(() => this.startAgain());
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.calm();
    await this.app?.stop();
  }

  async calm(): Promise<void> {
    this.signal('SIGCONT');
    this.limitFiles('unlimited');
    await Promise.resolve();
  }

  faults(): Fault[] {
    return [
      { name: 'process killed', strike: () => this.end('SIGKILL') },
      { name: 'process stopped', strike: () => this.end('SIGTERM') },
      {
        name: 'process suspended',
        strike: async (random) => {
          this.signal('SIGSTOP');
          await sleep(200 + random(2500));
          this.signal('SIGCONT');
        },
      },
      {
        name: 'clock stepped',
        strike: async (random) => {
          writeFileSync(path.join(this.folder, 'clock'), String((random(49) - 24) * HOUR_MS));
          await sleep(random(500));
        },
      },
      {
        name: 'disk full',
        strike: async (random) => {
          this.limitFiles(String(this.largestFile()));
          await sleep(100 + random(1000));
          this.limitFiles('unlimited');
        },
      },
    ];
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.app?.child;
    if (!child || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** As a process manager does when a program ends. */
  private async startAgain(): Promise<void> {
    await sleep(RESTART_DELAY_MS);
    if (!this.isStopping) await this.untilListening().catch((error: unknown) => void this.givenUp.push(String(error)));
  }

  private signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const child = this.app?.child;
    if (child && !hasEnded(child)) child.kill(signal);
  }

  /** No file of the process can grow beyond this size: its next write fails, as on a full disk. */
  private limitFiles(bytes: string): void {
    const child = this.app?.child;
    if (!child || hasEnded(child)) return;
    try {
      execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`], { stdio: 'ignore' });
    } catch {
      // The process has just ended.
    }
  }

  private largestFile(): number {
    try {
      const data = path.join(this.folder, 'data');
      return Math.max(...readdirSync(data).map((name) => statSync(path.join(data, name)).size));
    } catch {
      return 0;
    }
  }
}
