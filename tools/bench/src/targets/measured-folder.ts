import { existsSync } from 'node:fs';
import path from 'node:path';
import type { BenchmarkName } from '../benchmark-file';
import { type MeasuredFile, readMeasuredFile } from '../measured-file';
import { growthTargets, indexingTargets, queryTargets, threadTargets, whileIndexingTargets } from './embedded-targets';
import { streamTargets, suiteQueryTargets, suiteTargets } from './suite-targets';
import type { TargetRow } from './target-row';

/** A run of a benchmark whose figures have targets. */
export interface MeasuredRun {
  benchmark: BenchmarkName;
  /** The name of its file in the folder. */
  file: string;
  /** Arguments besides the recording and the file. */
  args: readonly string[];
  targets(file: MeasuredFile): TargetRow[];
}

const EMBEDDED_HEAD_MS = 100;
const DISTRIBUTED_HEAD_MS = 1_000;

/** In the order in which `all` runs them. */
export const MEASURED_RUNS: readonly MeasuredRun[] = [
  { benchmark: 'indexing', file: 'indexing.json', args: [], targets: indexingTargets },
  { benchmark: 'queries', file: 'queries.json', args: ['--seconds', '2'], targets: queryTargets },
  { benchmark: 'api-threads', file: 'api-threads.json', args: ['--seconds', '1'], targets: threadTargets },
  {
    benchmark: 'queries-while-indexing',
    file: 'queries-while-indexing.json',
    args: ['--seconds', '2'],
    targets: whileIndexingTargets,
  },
  { benchmark: 'growth', file: 'growth.json', args: [], targets: growthTargets },
  {
    benchmark: 'stream',
    file: 'stream-embedded.json',
    args: ['--set', 'embedded'],
    targets: (file) => streamTargets(file, EMBEDDED_HEAD_MS),
  },
  { benchmark: 'suite', file: 'suite.json', args: [], targets: suiteTargets },
  {
    benchmark: 'suite-queries',
    file: 'suite-queries.json',
    args: ['--seconds', '1'],
    targets: suiteQueryTargets,
  },
  {
    benchmark: 'stream',
    file: 'stream-distributed.json',
    args: ['--set', 'distributed'],
    targets: (file) => streamTargets(file, DISTRIBUTED_HEAD_MS),
  },
];

/** The rows of all files in a folder, and the names of the files that it lacks. Throws `MeasuredFileError`. */
export function readTargets(folder: string): { rows: TargetRow[]; missing: string[] } {
  const found = MEASURED_RUNS.filter(({ file }) => existsSync(path.join(folder, file)));
  return {
    rows: found.flatMap(({ benchmark, file, targets }) =>
      targets(readMeasuredFile(path.join(folder, file), benchmark)),
    ),
    missing: MEASURED_RUNS.filter((run) => !found.includes(run)).map(({ file }) => file),
  };
}
