import type { AdapterSet } from '@antelope-history/processes';
import { runSeed, type SeedOutcome } from './seed-run';
import type { SeedSize } from './seed-size';

export interface SeedsOptions {
  seeds: readonly number[];
  set: AdapterSet;
  size: SeedSize;
  /** Seeds that run at the same time. */
  parallel: number;
  keepIn: string;
  /** Called with a line per seed. */
  report: (line: string) => void;
}

export interface SeedsSummary {
  seeds: number;
  faults: Map<string, number>;
  /** Blocks that the services of all seeds removed because they keep the newest ones only. */
  removedBlocks: number;
  checked: number;
  violations: number;
  failedSeeds: number[];
}

/** Runs seeds one after another, some at the same time, and sums up what they found. */
export async function simulateSeeds(options: SeedsOptions): Promise<SeedsSummary> {
  const summary: SeedsSummary = {
    seeds: 0,
    faults: new Map(),
    removedBlocks: 0,
    checked: 0,
    violations: 0,
    failedSeeds: [],
  };
  const left = [...options.seeds];
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const outcome = await runSeed({ ...options, seed });
      add(summary, outcome);
      options.report(describeOutcome(outcome));
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return summary;
}

/** The last line of a run. */
export function describeSummary({ seeds, faults, checked, violations }: SeedsSummary): string {
  const total = [...faults.values()].reduce((sum, count) => sum + count, 0);
  return `seeds ${seeds}, faults ${total}, responses checked ${checked}, violations ${violations}`;
}

function add(summary: SeedsSummary, { seed, faults, removedBlocks, checked, violations }: SeedOutcome): void {
  summary.seeds++;
  summary.removedBlocks += removedBlocks;
  summary.checked += checked;
  summary.violations += violations.length;
  if (violations.length > 0) summary.failedSeeds.push(seed);
  for (const [name, count] of faults) summary.faults.set(name, (summary.faults.get(name) ?? 0) + count);
}

function describeOutcome(outcome: SeedOutcome): string {
  const { seed, faults, retainBlocks, removedBlocks, checked, unanswered, violations, keptIn } = outcome;
  const kept = retainBlocks > 0 ? `, keeps ${retainBlocks} blocks (${removedBlocks} removed)` : '';
  const happened =
    [...faults].map(([name, count]) => (count === 1 ? name : `${name} x${count}`)).join(', ') || 'no fault';
  const found =
    violations.length === 0
      ? ''
      : `, violations ${violations.length}: ${violations[0]?.reason.slice(0, 200)} (${keptIn})`;
  return `seed ${seed}: ${happened}${kept}; checked ${checked}, unanswered ${unanswered}${found}`;
}
