#!/usr/bin/env node
import { computeSection } from './compute-section';
import { sizingSection } from './sizing-document';
import { parseOptions, USAGE } from './sizing-options';

function run(args: string[]): void {
  const options = parseOptions(args);
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  const section = computeSection(options);
  if (options.write) sizingSection().write(section);
  else process.stdout.write(section);
}

try {
  run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`sizing: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
