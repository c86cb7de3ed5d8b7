import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLines, startProgram, stop } from '@antelope-history/processes';

interface Probe {
  start: number;
  ms: number;
}

/** How long `/live` takes while other requests are made. */
export class LiveWatch {
  private readonly probes: Probe[] = [];

  private constructor(private readonly child: ChildProcess) {
    readLines(child, (line) => {
      const [start = 0, ms = 0] = line.split(' ').map(Number);
      this.probes.push({ start, ms });
    });
  }

  static start(gateway: string): LiveWatch {
    return new LiveWatch(
      startProgram('tools/attacks/dist/hostile-chain/live-monitor.js', { args: [`${gateway}/live`] }),
    );
  }

  /** The longest of those that were under way since a time (milliseconds since 1970); waits for one that began after now. */
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
