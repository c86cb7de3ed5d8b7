#!/usr/bin/env node
import { BENCHMARKS } from './benchmarks';

/** `npm run bench -- NAME [OPTIONS]` */
async function run([name = '', ...args]: string[]): Promise<void> {
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (benchmark) return (await benchmark.load())(args);
  const width = Math.max(...Object.keys(BENCHMARKS).map((each) => each.length));
  process.stdout.write(`npm run bench -- NAME [OPTIONS]; NAME --help describes the options. The benchmarks are:\n`);
  for (const [each, { summary }] of Object.entries(BENCHMARKS)) {
    process.stdout.write(`  ${each.padEnd(width)} ${summary}\n`);
  }
  if (name !== '--help') process.exitCode = 1;
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
