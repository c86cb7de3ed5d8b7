import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import {
  currentMemory,
  peakMemory,
  startReplay,
  startService,
  stop,
  untilCommitted,
} from '@antelope-history/processes';
import { HEAP_MIB } from './limits';
import { LiveWatch } from '../live-watch';

/** The asc window guard is not under test here. Every block is verified, because hostile data must not make that costly. */
const ENVIRONMENT = {
  HISTORY_API__MAX_ASC_WINDOW_DAYS: '36500',
  HISTORY_INDEXER__VERIFY_BLOCKS: 'all',
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
};

/** The whole service over a recording. After an attack that ended it, it can be started again on the same data. */
export class HostileService {
  url = '';
  live!: LiveWatch;
  private child!: ChildProcess;

  private constructor(
    private readonly replay: { child: ChildProcess; url: string },
    private readonly data: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Resolves when the recording's last block is committed. `environment` adds to the service's configuration. */
  static async start(folder: string, lastBlock: number, environment: NodeJS.ProcessEnv = {}): Promise<HostileService> {
    const data = mkdtempSync(path.join(tmpdir(), 'hostile-chain-'));
    const service = new HostileService(await startReplay(folder), data, { ...ENVIRONMENT, ...environment });
    try {
      await service.startAgain();
      await untilCommitted(data, lastBlock);
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  async startAgain(): Promise<void> {
    if (this.url !== '') await this.live.stop();
    const { child, gateway } = startService(this.replay.url, this.data, this.environment);
    this.child = child;
    this.url = await gateway;
    this.live = LiveWatch.start(this.url);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resets `peakMemory` (proc(5), clear_refs). */
  resetPeak(): void {
    writeFileSync(`/proc/${this.child.pid ?? 0}/clear_refs`, '5');
  }

  /** In bytes; 0 where the system does not report it. */
  get peakMemory(): number {
    const pid = this.child.pid ?? 0;
    return peakMemory(pid) ?? currentMemory(pid) ?? 0;
  }

  async stop(): Promise<void> {
    if (this.url !== '') await this.live.stop();
    await stop(this.child);
    await stop(this.replay.child);
    rmSync(this.data, { recursive: true, force: true });
  }
}
