#!/usr/bin/env node
import { CommandLineError, runCommand } from '@antelope-history/processes';
import { BENCHMARKS } from './benchmarks';

/** `npm run bench -- NAME [OPTIONS]` */
async function run([name = '', ...args]: string[]): Promise<void> {
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (benchmark) return (await benchmark.load())(args);
  const width = Math.max(...Object.keys(BENCHMARKS).map((each) => each.length));
  const list = Object.entries(BENCHMARKS).map(([each, { summary }]) => `  ${each.padEnd(width)} ${summary}`);
  const usage = 'npm run bench -- NAME [OPTIONS]; NAME --help describes the options. The benchmarks are:';
  if (name !== '--help') throw new CommandLineError([usage, ...list].join('\n'));
  process.stdout.write(`${[usage, ...list].join('\n')}\n`);
}

runCommand('npm run bench', run);
