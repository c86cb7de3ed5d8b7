import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** The command that wrote a file: its name after `npm run`. */
export type BenchmarkName = 'bench' | 'bench:growth' | 'bench:suite' | 'bench:queries' | 'bench:suite-queries';

/** The machine that everything ran on. */
export interface Machine {
  /** Version of Node.js. */
  node: string;
  /** Model of each processor. */
  processors: string[];
  memoryBytes: number;
}

/** What the option `--out` of a benchmark writes, as JSON. */
export interface BenchmarkFile<Figures> {
  benchmark: BenchmarkName;
  machine: Machine;
  options: Record<string, number>;
  figures: Figures;
}

/** Writes the figures of a benchmark as JSON, with the machine; does nothing without a file. */
export function writeBenchmarkFile(
  file: string | undefined,
  measured: { benchmark: BenchmarkName; options: object; figures: unknown },
): void {
  if (file === undefined) return;
  const { benchmark, options, figures } = measured;
  const machine: Machine = {
    node: process.version,
    processors: cpus().map(({ model }) => model),
    memoryBytes: totalmem(),
  };
  writeFileSync(file, `${JSON.stringify({ benchmark, machine, options, figures }, null, 2)}\n`);
}
