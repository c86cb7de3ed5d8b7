import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { outputLines, stop } from '@antelope-history/service-process';
import type { AppKind } from '../src';
import { NetworkNamespace } from './network-namespace';

const APPS = path.resolve(__dirname, '../../../apps');
const LOOPBACK = '127.0.0.1';

/**
 * Stands for a machine: apps that share a working directory and a configuration file with nobody else, in a network of
 * their own where the system lets us make one, else as process groups of their own.
 */
export class Machine {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-machine-'));
  private readonly network: NetworkNamespace | undefined;
  private readonly children: ChildProcess[] = [];

  constructor(index: number) {
    this.network = NetworkNamespace.create(index);
  }

  /** Where its apps are reached. */
  get address(): string {
    return this.network?.address ?? LOOPBACK;
  }

  get hasOwnNetwork(): boolean {
    return this.network !== undefined;
  }

  /** The URL of a server as it is reached from this machine, which may reach no other. */
  async reach(url: string): Promise<string> {
    return this.network ? this.network.reach(url) : url;
  }

  write(name: string, content: string): void {
    writeFileSync(path.join(this.folder, name), content, { mode: 0o600 });
  }

  /** Starts an app on `config.json` of this machine; resolves when it runs, with where it listens. */
  async run(app: AppKind): Promise<string> {
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
    for await (const line of outputLines(child)) {
      const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
      if (msg === 'listening' && url !== undefined) listening = url;
      if (msg === 'running') return listening;
    }
    throw new Error(`${app} ended before it ran`);
  }

  /** Stops all apps; gives their exit codes. */
  async stop(): Promise<(number | null)[]> {
    const codes = this.children.map(async (child) => {
      await stop(child);
      return child.exitCode;
    });
    return Promise.all(codes);
  }

  /** Stops what still runs, and removes its files and its network. */
  async remove(): Promise<void> {
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    this.network?.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
