import { get } from 'node:http';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentMemory, type IndexedService } from '@antelope-history/processes';

const LIVE_EVERY_MS = 250;
const MEMORY_EVERY_MS = 250;
const LIVE_LIMIT_MS = 30_000;

/** Of `/live` at one port. */
export class LiveFigures {
  /** In milliseconds. */
  slowest = 0;
  failures = 0;
}

/** What a run sees of the service besides its responses. */
export class ServiceWatch {
  /** Resident bytes, every ten seconds or so and at the end. */
  readonly memory: number[] = [];
  peakMemory = 0;
  /** What `/live` took at the operations listener, which orchestrators ask, and at the gateway's port. */
  readonly operationsLive = new LiveFigures();
  readonly publicLive = new LiveFigures();
  /** Of the clients' own process: what they measure is not more exact. */
  readonly ownDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: 10 });
  private isRunning = true;

  constructor(
    private readonly service: Pick<IndexedService, 'url' | 'operationsUrl' | 'pid'>,
    private readonly localAddress: string | undefined,
  ) {}

  /** Runs until `stop`. `onMemory` is told what the service takes, often. */
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
      const isLive = await askLive(url, this.localAddress);
      if (!isLive) figures.failures++;
      figures.slowest = Math.max(figures.slowest, performance.now() - startedAt);
      await sleep(LIVE_EVERY_MS);
    }
  }
}

/** On a connection of its own, as an orchestrator asks. */
export function askLive(url: string, localAddress: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      agent: false as const,
      timeout: LIVE_LIMIT_MS,
      ...(localAddress === undefined ? {} : { localAddress }),
    };
    const asked = get(`${url}/live`, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
      response.on('error', () => resolve(false));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
  });
}
