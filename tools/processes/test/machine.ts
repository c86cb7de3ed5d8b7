import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AppName, hasEnded, parseLogLine, readLines, stop } from '../src';
import { NetworkNamespace } from './network-namespace';

const APPS = path.resolve(__dirname, '../../../apps');
const LOOPBACK = '127.0.0.1';

/**
 * Simulates a machine: its apps have their own working directory and configuration file, and their own network where the
 * system allows that, else only their own process groups.
 */
export class Machine {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-machine-'));
  private readonly network: NetworkNamespace | undefined;
  private readonly children: ChildProcess[] = [];

  constructor(index: number) {
    this.network = NetworkNamespace.create(index);
  }

  /** Address at which other machines reach its apps. */
  get address(): string {
    return this.network?.address ?? LOOPBACK;
  }

  get hasOwnNetwork(): boolean {
    return this.network !== undefined;
  }

  /** The URL of a server as this machine reaches it. A network of its own reaches no other server. */
  async reach(url: string): Promise<string> {
    return this.network ? this.network.reach(url) : url;
  }

  write(name: string, content: string): void {
    writeFileSync(path.join(this.folder, name), content, { mode: 0o600 });
  }

  /** Starts an app with `config.json` of this machine; resolves with the URL where it listens, when it runs. */
  async run(app: AppName): Promise<string> {
    const program = [process.execPath, path.join(APPS, app, 'dist/main.js'), '--config', 'config.json'];
    const [command = '', ...args] = [...(this.network?.command ?? []), ...program];
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    this.children.push(child);
    let listening = '';
    return new Promise((resolve, reject) => {
      readLines(child, (line) => {
        const { msg, url } = parseLogLine(line);
        if (msg === 'listening' && url !== undefined) listening = url;
        if (msg === 'running') resolve(listening);
      });
      child.once('close', () => reject(new Error(`${app} ended before it ran`)));
    });
  }

  /** Stops all apps; resolves with their exit codes. */
  async stop(): Promise<(number | null)[]> {
    const codes = this.children.map(async (child) => {
      await stop(child);
      return child.exitCode;
    });
    return Promise.all(codes);
  }

  /** Kills the apps that still run, and removes the files and the network. */
  async remove(): Promise<void> {
    for (const child of this.children) {
      if (hasEnded(child)) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    this.network?.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
