import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readOptions } from '../command-line';
import { MEASURED_RUNS } from './measured-folder';
import { targetTable } from './show-targets';

const USAGE = `npm run bench -- all --recording DIR --out FOLDER

Runs the benchmarks that have targets one after another, each in a process of its own, and writes their files into FOLDER. At the
end it prints how the figures meet the targets. Takes most of an hour on two processors, which should do nothing else. Exit status 1 if a benchmark fails, or finds that what it compares is not equal.
`;
const MAIN = path.join(__dirname, '../main.js');

/** Runs all benchmarks that have targets, and prints how their figures meet them. */
export async function benchAll(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { recording: text, out: text, help: { type: 'boolean' } } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['recording', 'out'] });
  if (!values) return;
  const { recording, out } = values;
  mkdirSync(out, { recursive: true });
  for (const { benchmark, file, args: own } of MEASURED_RUNS) {
    process.stdout.write(`\n== ${[benchmark, ...own].join(' ')}\n`);
    const written = path.join(out, file);
    // The table must not show the figures of an earlier run in place of one that fails.
    rmSync(written, { force: true });
    const status = await runBenchmark([benchmark, '--recording', recording, ...own, '--out', written]);
    if (status !== 0) process.exitCode = 1;
  }
  process.stdout.write(`\n${targetTable(out)}`);
}

/** Resolves with the exit status; that of a process that a signal ended is 1. */
async function runBenchmark(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both; SIGTERM goes to this process only.
  const stopBoth = (): void => {
    child.kill();
    process.kill(process.pid);
  };
  process.once('SIGTERM', stopBoth);
  const [status] = (await once(child, 'exit')) as [number | null];
  process.off('SIGTERM', stopBoth);
  return status ?? 1;
}
