#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { SAMPLES } from '@antelope-history/test-support/recordings';
import {
  ADAPTER_SETS,
  CommandLineError,
  parseAdapterSet,
  parseChoice,
  parseOptions,
  runCommand,
} from '@antelope-history/processes';
import { compareRecording } from './conformance';
import { renderReport, storedReport } from './report';
import { renderTable } from './table';
import type { Outcome } from './tally';

const USAGE = `npm run conformance -- [--recording NAME]... [--set SET] [--write]

Runs the service on recorded chains (${SAMPLES.join(', ')}) and compares its responses with those of the recorded
nodes. SET is the set of adapters (${ADAPTER_SETS.join(', ')}), by default embedded. --write writes the result to
docs/compatibility.md. Exits with status 1 when a difference has no reason, and with 2 when an option is wrong.
`;

async function run(args: string[]): Promise<void> {
  const options = {
    recording: { type: 'string', multiple: true },
    set: { type: 'string', default: 'embedded' },
    write: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  const values = parseOptions('npm run conformance', () => parseArgs({ args, options }));
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (values.write && values.recording)
    throw new CommandLineError('--write cannot be combined with --recording: the document covers all recordings');
  const set = parseAdapterSet(values.set);
  const names = values.recording?.map((name) => parseChoice('recording', name, SAMPLES)) ?? SAMPLES;
  const outcomes: Outcome[] = [];
  for (const name of new Set(names)) {
    outcomes.push(...(await compareRecording(name, set)));
  }
  print(outcomes);
  if (values.write) storedReport().write(renderReport(outcomes));
}

/** Prints the table, then every difference without a reason. */
function print(outcomes: readonly Outcome[]): void {
  process.stdout.write(renderTable(outcomes));
  for (const { endpoint, recording, unexplained } of outcomes) {
    for (const difference of unexplained) process.stdout.write(`${endpoint} on ${recording}: ${difference}\n`);
  }
  if (outcomes.some(({ unexplained }) => unexplained.length > 0)) process.exitCode = 1;
}

runCommand('npm run conformance', run);
