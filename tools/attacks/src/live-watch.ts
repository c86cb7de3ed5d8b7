import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLines, startProgram, stop } from '@antelope-history/processes';

interface Probe {
  start: number;
  ms: number;
  isLive: boolean;
}

/** Measures `/live` during other requests. */
export class LiveWatch {
  private readonly probes: Probe[] = [];

  private constructor(private readonly child: ChildProcess) {
    readLines(child, (line) => {
      const [start = 0, ms = 0, status = 0] = line.split(' ').map(Number);
      this.probes.push({ start, ms, isLive: status === 200 });
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
    return this.probes.reduce((slowest, { ms }) => Math.max(slowest, ms), 0);
  }

  /** Probes without a response of status 200. */
  get failures(): number {
    return this.probes.filter(({ isLive }) => !isLive).length;
  }

  /** The longest probe since a time (milliseconds since 1970). Waits for a probe that starts after the call. */
  async worstSince(since: number, limitMs: number): Promise<number> {
    const now = Date.now();
    const deadline = now + limitMs;
    while ((this.probes.at(-1)?.start ?? 0) < now && Date.now() < deadline) await sleep(20);
    if ((this.probes.at(-1)?.start ?? 0) < now) return limitMs;
    const touching = this.probes.filter(({ start, ms }) => start + ms >= since);
    return Math.max(...touching.map(({ ms }) => ms));
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}
