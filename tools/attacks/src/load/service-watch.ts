import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentMemory, type IndexedService } from '@antelope-history/processes';
import { LiveWatch } from '../live-watch';

const MEMORY_EVERY_MS = 250;
const LIVE_LIMIT_MS = 30_000;

/** Measures the service during a run: its memory, and `/live`. */
export class ServiceWatch {
  /** Resident bytes, about every ten seconds and at the end. */
  readonly memory: number[] = [];
  peakMemory = 0;
  /** `/live` at the operations listener, which orchestrators probe, and at the gateway's port. */
  readonly operationsLive: LiveWatch;
  readonly publicLive: LiveWatch;
  /** Event loop delay of this process: it bounds the precision of the clients' times. */
  readonly ownDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: 10 });
  private isRunning = true;

  constructor(private readonly service: Pick<IndexedService, 'url' | 'operationsUrl' | 'pid'>) {
    this.operationsLive = LiveWatch.start(service.operationsUrl);
    this.publicLive = LiveWatch.start(service.url);
  }

  /** Runs until `stop`. `onMemory` is called several times a second with the service's resident bytes. */
  async run(sampleEveryMs: number, onMemory: (bytes: number) => void): Promise<void> {
    this.ownDelay.enable();
    await this.watchMemory(sampleEveryMs, onMemory);
    this.ownDelay.disable();
  }

  /** Whether probes that begin after the call get a response in time. */
  async isStillLive(): Promise<boolean> {
    const [since, watches] = [Date.now(), [this.operationsLive, this.publicLive]];
    const worst = await Promise.all(watches.map((live) => live.worstSince(since, LIVE_LIMIT_MS)));
    return Math.max(...worst) < LIVE_LIMIT_MS;
  }

  /** Ends the probes. */
  async close(): Promise<void> {
    await Promise.all([this.operationsLive.stop(), this.publicLive.stop()]);
  }

  stop(): void {
    this.isRunning = false;
  }

  private async watchMemory(sampleEveryMs: number, onMemory: (bytes: number) => void): Promise<void> {
    let nextSample = 0;
    while (this.isRunning) {
      const bytes = currentMemory(this.service.pid) ?? 0;
      this.peakMemory = Math.max(this.peakMemory, bytes);
      onMemory(bytes);
      if (performance.now() >= nextSample) {
        this.memory.push(bytes);
        nextSample = performance.now() + sampleEveryMs;
      }
      await sleep(MEMORY_EVERY_MS);
    }
    this.memory.push(currentMemory(this.service.pid) ?? 0);
  }
}
