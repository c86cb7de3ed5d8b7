#!/usr/bin/env node
import { runCommand } from '@antelope-history/processes';
import { computeSection } from './compute-section';
import { sizingSection } from './sizing-document';
import { parseCommandLine, USAGE } from './sizing-options';

async function run(args: string[]): Promise<void> {
  const options = parseCommandLine(args);
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  const section = computeSection(options);
  if (options.write) sizingSection().write(section);
  else process.stdout.write(section);
}

runCommand('npm run sizing', run);
