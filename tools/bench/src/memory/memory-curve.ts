import { currentMemory, type Suite } from '@antelope-history/processes';

/** Resident memory of each process of a suite over time, in bytes. */
export interface MemoryCurve {
  /** Seconds since the start, one per sample. */
  seconds: number[];
  /** By the name of the process; 0 while it does not run. */
  processes: Record<string, number[]>;
}

const SAMPLE_MS = 250;

/** Samples the processes of a suite until `done` settles. */
export async function sampleMemory({ apps }: Pick<Suite, 'apps'>, done: Promise<unknown>): Promise<MemoryCurve> {
  const curve: MemoryCurve = { seconds: [], processes: Object.fromEntries(apps.map(({ name }) => [name, []])) };
  const startedAt = performance.now();
  const sample = (): void => {
    curve.seconds.push((performance.now() - startedAt) / 1_000);
    for (const { name, pid } of apps) curve.processes[name]?.push(currentMemory(pid) ?? 0);
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    await done;
  } finally {
    clearInterval(timer);
    sample();
  }
  return curve;
}

const BARS = ' ▁▂▃▄▅▆▇█';

/** A line of `width` bars: the most of each part of the curve, as a share of `limit`. */
export function drawCurve(values: readonly number[], limit: number, width: number): string {
  const bars: string[] = [];
  for (let column = 0; column < width; column++) {
    const from = Math.floor((column * values.length) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / width));
    const share = Math.max(...values.slice(from, to)) / limit;
    bars.push(BARS[Math.min(BARS.length - 1, Math.ceil(share * (BARS.length - 1)))] ?? '');
  }
  return bars.join('');
}
