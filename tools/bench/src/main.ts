#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { openRecording } from '@antelope-history/test-support/recordings';
import { measureDecoding } from './decoding';
import { measureBareSocket, measureIngestion, type IngestionFigures } from './ingestion';

const USAGE = `npm run bench -- --recording DIR [--runs N]

Measures, on a recorded chain: decoding alone, against @wharfkit/antelope; the bare socket, which is the limit; and
the whole service from the socket to blocks committed in the embedded store. Ratios are of the same run.
`;

async function run(args: string[]): Promise<void> {
  const options = {
    recording: { type: 'string' },
    runs: { type: 'string', default: '3' },
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.help || values.recording === undefined) {
    process.stdout.write(USAGE);
    if (!values.help) process.exitCode = 1;
    return;
  }
  const recording = openRecording(values.recording);
  const bytes = recording.messages.reduce((total, message) => total + message.bytes.length, 0);
  const decoding = measureDecoding(recording);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);

  print(`recording          ${recording.messages.length} messages, ${mega(bytes)} MB`);
  print(
    `contents           ${decoding.transactions} transactions, ${decoding.actions} actions, ${decoding.traces} action traces`,
  );
  print(`structural decode  ${rate(decoding.structuralRate)} traces/s`);
  print(`into records       ${rate(decoding.recordsRate)} traces/s`);
  print(
    `@wharfkit/antelope ${rate(decoding.wharfkitRate)} traces/s; ours on the same ${decoding.wharfkitTraces} traces, ` +
      `equal output: ${(decoding.oursBesideWharfkitRate / decoding.wharfkitRate).toFixed(1)} times as fast`,
  );
  for (let index = 1; index <= Number(values.runs); index++) {
    const limit = await measureBareSocket(values.recording, recording);
    const service = await measureIngestion(values.recording, recording);
    print(
      `run ${index}: bare socket ${rate(decoding.traces / limit)} traces/s; ${describe(service, decoding.traces, limit)}`,
    );
  }
}

function describe(service: IngestionFigures, traces: number, limit: number): string {
  const memory = service.peakMemoryBytes === undefined ? 'unknown' : `${mega(service.peakMemoryBytes)} MB`;
  return (
    `socket to committed ${rate(traces / service.seconds)} traces/s (${(limit / service.seconds).toFixed(2)} of the limit), ` +
    `${(service.diskBytes / traces).toFixed(1)} bytes on disk per trace, peak memory ${memory}`
  );
}

const rate = (perSecond: number): string => Math.round(perSecond).toLocaleString('en');
const mega = (bytes: number): string => (bytes / 1e6).toFixed(1);

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
