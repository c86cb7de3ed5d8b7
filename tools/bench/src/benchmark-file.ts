import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** The benchmark that wrote a file: its name after `npm run bench --`. */
export type BenchmarkName =
  'indexing' | 'growth' | 'suite' | 'queries' | 'api-threads' | 'queries-while-indexing' | 'suite-queries' | 'stream';

/** How a benchmark that writes a file is called. */
export const commandOf = (benchmark: string): string => `npm run bench -- ${benchmark} --recording DIR --out FILE`;

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
