import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createClient } from 'redis';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '@antelope-history/servers';

/** A Redis server process on its own port. It stores nothing on disk, so that it is empty after a restart. */
export class OwnRedis {
  private process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly args: string[],
  ) {}

  static async start(...args: string[]): Promise<OwnRedis> {
    const [port = 0] = await findFreePorts(1);
    return OwnRedis.startAt(port, ...args);
  }

  static async startAt(port: number, ...args: string[]): Promise<OwnRedis> {
    const redis = new OwnRedis(port, args);
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    // Redis writes dump.rdb into its working directory, which would be the one of the source code.
    const child = spawn('redis-server', [...settings, ...this.args], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.process = child;
    child.once('error', (error) => child.stdout.destroy(error));
    for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
    child.stdout.resume();
  }

  /** Kills the process; its data is lost. */
  async kill(): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Stops the process, which keeps its connections but sends no replies. */
  freeze(): void {
    this.process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.process?.kill('SIGCONT');
  }

  /** Sends a command as an operator would. */
  async command(...args: string[]): Promise<unknown> {
    const client = createClient({ url: this.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand(args);
    } finally {
      await client.close();
    }
  }
}

/** Resolves when `check` returns true; rejects after `seconds`. `what` describes the condition in the error. */
export async function until(what: string, check: () => Promise<boolean> | boolean, seconds = 60): Promise<void> {
  for (const limit = Date.now() + seconds * 1000; Date.now() < limit;) {
    if (await check()) return;
    await sleep(20);
  }
  throw new Error(`timeout after ${seconds} seconds: ${what}`);
}
