#!/usr/bin/env node
import { BENCHMARKS } from './benchmarks';

const WIDTH = 14;

/** `npm run bench -- NAME [OPTIONS]` */
async function run([name = '', ...args]: string[]): Promise<void> {
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (benchmark) return benchmark.run(args);
  process.stdout.write(`npm run bench -- NAME [OPTIONS]; NAME --help describes the options. The benchmarks are:\n`);
  for (const [each, { summary }] of Object.entries(BENCHMARKS)) {
    process.stdout.write(`  ${each.padEnd(WIDTH)} ${summary}\n`);
  }
  if (name !== '--help') process.exitCode = 1;
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
