#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { SAMPLES, type SampleName } from '@antelope-history/recordings';
import { RecordedChain } from './recorded-chain';
import { CHECKS } from './run-checks';
import { serveRecording } from './served-recording';
import { renderTable } from './table';
import type { Outcome } from './tally';

const USAGE = `npm run conformance -- [--recording NAME]

Runs the real service on recorded chains and compares its answers with those of the recorded nodes.
`;

async function run(args: string[]): Promise<void> {
  const options = { recording: { type: 'string', multiple: true }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) return void process.stdout.write(USAGE);
  const names = SAMPLES.filter((name) => values.recording?.includes(name) ?? true);
  const outcomes: Outcome[] = [];
  for (const name of names) outcomes.push(...(await checkRecording(name)));
  process.stdout.write(renderTable(outcomes));
  for (const { endpoint, recording, unexplained } of outcomes) {
    for (const difference of unexplained) process.stdout.write(`${endpoint} of ${recording}: ${difference}\n`);
  }
  if (outcomes.some(({ unexplained }) => unexplained.length > 0)) process.exitCode = 1;
}

async function checkRecording(name: SampleName): Promise<Outcome[]> {
  const chain = new RecordedChain(name);
  const served = await serveRecording(name);
  try {
    const outcomes: Outcome[] = [];
    for (const check of CHECKS) outcomes.push(...(await check(chain, served)));
    return outcomes;
  } finally {
    await served.stop();
  }
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
