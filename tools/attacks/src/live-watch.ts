import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLines, startProgram, stop } from '@antelope-history/processes';
import { LIVE_INTERVAL_MS } from './hostile-chain/limits';

interface Probe {
  start: number;
  ms: number;
  isLive: boolean;
}

/** The lines that the monitor has written arrive within this time when the process is not busy. */
const LINES_MS = 10;
/** A monitor whose last probe is older does not run, or the machine is busy: it is waited for. */
const SILENT_MS = 2 * LIVE_INTERVAL_MS;

/** Measures `/live` during other requests. */
export class LiveWatch {
  private readonly probes: Probe[] = [];
  /** When the last probe was sent, whether or not it has a response. */
  private lastStart = 0;

  private constructor(private readonly child: ChildProcess) {
    readLines(child, (line) => {
      const [start = 0, ms, status] = line.split(' ').map(Number);
      if (ms === undefined) this.lastStart = start;
      else this.probes.push({ start, ms, isLive: status === 200 });
    });
  }

  /** `url`: of the gateway or of an operations listener. */
  static start(url: string): LiveWatch {
    return new LiveWatch(startProgram('tools/attacks/dist/live-monitor.js', { args: [`${url}/live`] }));
  }

  get count(): number {
    return this.probes.length;
  }

  /** The longest probe, in milliseconds. */
  get slowest(): number {
    return this.longestOf(this.probes);
  }

  /** Probes without a response of status 200. */
  get failures(): number {
    return this.probes.filter(({ isLive }) => !isLive).length;
  }

  /**
   * The longest of the probes that ran since a time (milliseconds since 1970); 0 if none was due. Waits for the probe that runs now,
   * which a busy service has not responded to. Resolves with `limitMs` when that takes longer, or when nothing is probed.
   */
  async worstSince(since: number, limitMs: number): Promise<number> {
    const now = Date.now();
    const isKnown = (): boolean => {
      const isProbing = this.lastStart !== (this.probes.at(-1)?.start ?? 0);
      return this.lastStart > now || (!isProbing && now - this.lastStart < SILENT_MS);
    };
    do {
      await sleep(LINES_MS);
      if (isKnown()) return this.longestOf(this.probes.filter(({ start, ms }) => start + ms >= since));
    } while (Date.now() < now + limitMs);
    return limitMs;
  }

  private longestOf(probes: readonly Probe[]): number {
    return probes.reduce((longest, { ms }) => Math.max(longest, ms), 0);
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}
