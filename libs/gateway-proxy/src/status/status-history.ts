import type { HealthResponse, ProcessStatus, StatusSample } from '@antelope-history/schemas';

/** An hour of samples that are ten seconds apart. */
const MAX_SAMPLES = 360;

type Counts = Pick<ProcessStatus, 'indexed_blocks' | 'indexed_actions'>;

/** The samples of the last hour. They are held in memory only, so a restarted gateway has none. */
export class StatusHistory {
  private readonly kept: StatusSample[] = [];
  /** The counts of each process at the last sample. */
  private last: { at: number; counts: Map<string, Counts> } | undefined;

  samples(): StatusSample[] {
    return [...this.kept];
  }

  /** `at`: milliseconds since 1970. The first sample has no speed, because there is nothing to compare it with. */
  add(at: number, health: HealthResponse, processes: ProcessStatus[]): void {
    const counts = new Map(processes.map((process): [string, Counts] => [identityOf(process), process]));
    const seconds = this.last ? (at - this.last.at) / 1000 : 0;
    if (this.last && seconds > 0) {
      this.kept.push({
        at,
        head_block_num: health.head_block_num,
        committed_block_num: health.committed_block_num,
        blocks_per_second: growth(this.last.counts, counts, 'indexed_blocks') / seconds,
        actions_per_second: growth(this.last.counts, counts, 'indexed_actions') / seconds,
      });
    }
    if (this.kept.length > MAX_SAMPLES) this.kept.shift();
    this.last = { at, counts };
  }
}

/** A process that was started again counts from 0 and has another identity. */
function identityOf({ kind, host, pid, since }: ProcessStatus): string {
  return `${kind} ${host} ${pid} ${since}`;
}

/** How much the counts of all processes grew. A process that is new is not counted: its first interval is unknown. */
function growth(before: Map<string, Counts>, now: Map<string, Counts>, figure: keyof Counts): number {
  let grown = 0;
  for (const [process, counts] of now) {
    const [from, to] = [before.get(process)?.[figure], counts[figure]];
    if (from !== undefined && to !== undefined) grown += Math.max(0, to - from);
  }
  return grown;
}
