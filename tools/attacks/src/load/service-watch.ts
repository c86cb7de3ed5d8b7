import { get } from 'node:http';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentMemory, type IndexedService } from '@antelope-history/processes';

const LIVE_EVERY_MS = 250;
const MEMORY_EVERY_MS = 250;
const LIVE_LIMIT_MS = 30_000;

/** Figures of `/live` at one port. */
export class LiveFigures {
  /** In milliseconds. */
  slowest = 0;
  failures = 0;
}

/** Measures the service during a run: its memory, and `/live`. */
export class ServiceWatch {
  /** Resident bytes, about every ten seconds and at the end. */
  readonly memory: number[] = [];
  peakMemory = 0;
  /** `/live` at the operations listener, which orchestrators probe, and at the gateway's port. */
  readonly operationsLive = new LiveFigures();
  readonly publicLive = new LiveFigures();
  /** Event loop delay of this process: it bounds the precision of the clients' times. */
  readonly ownDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: 10 });
  private isRunning = true;

  constructor(
    private readonly service: Pick<IndexedService, 'url' | 'operationsUrl' | 'pid'>,
    private readonly localAddress: string | undefined,
  ) {}

  /** Runs until `stop`. `onMemory` is called several times a second with the service's resident bytes. */
  async run(sampleEveryMs: number, onMemory: (bytes: number) => void): Promise<void> {
    this.ownDelay.enable();
    await Promise.all([
      this.watchMemory(sampleEveryMs, onMemory),
      this.watchLive(this.service.operationsUrl, this.operationsLive),
      this.watchLive(this.service.url, this.publicLive),
    ]);
    this.ownDelay.disable();
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

  private async watchLive(url: string, figures: LiveFigures): Promise<void> {
    while (this.isRunning) {
      const startedAt = performance.now();
      const isLive = await probeLive(url, this.localAddress);
      if (!isLive) figures.failures++;
      figures.slowest = Math.max(figures.slowest, performance.now() - startedAt);
      await sleep(LIVE_EVERY_MS);
    }
  }
}

/** Probes `/live` on a connection of its own, as an orchestrator does. */
export function probeLive(url: string, localAddress: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      agent: false as const,
      timeout: LIVE_LIMIT_MS,
      ...(localAddress === undefined ? {} : { localAddress }),
    };
    const request = get(`${url}/live`, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
      response.on('error', () => resolve(false));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
