#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import {
  ADAPTER_SETS,
  currentMemory,
  type IndexedChain,
  parseAdapterSet,
  parseNumber,
  parseOptions,
  runCommand,
  startIndexedChain,
} from '@antelope-history/processes';
import { readChainFacts } from '../chain-facts';
import { SEEDS } from '../seeds';
import { saveFailures } from './known-failures';
import { runRawCommand } from './raw';
import { type FuzzFigures, runFuzz } from './run-fuzz';

const USAGE = `npm run fuzz -- [--requests N] [--seed N] [--limit-ms N] [--set SET | --url URL]
npm run fuzz -- --raw [--service] [--rounds N] [--seed N]

Sends generated requests, valid and invalid, to all endpoints of a service of its own that has indexed the sample
leap-edge into a set of adapters (${ADAPTER_SETS.join(', ')}), or to the service at URL. A response fails when its status is 5xx,
when it violates the OpenAPI document, or when it takes longer than the limit.
Failed requests are added to tools/attacks/src/fuzz/known-failures.json; the tests repeat them.
--raw sends bytes to a gateway's port instead: see --raw --help.
`;
const SAMPLE = sampleFolder('leap-edge');
/** After this number of requests every cache and heap has its final size. A shorter run does not judge memory. */
const WARM_REQUESTS = 20_000;
const MAX_GROWTH = 1.25;
const MAX_REQUESTS = 1_000_000_000;
const MAX_LIMIT_MS = 3_600_000;

async function run(args: string[]): Promise<void> {
  if (args.includes('--raw')) return runRawCommand(args, print);
  const options = {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    'limit-ms': { type: 'string', default: '1000' },
    set: { type: 'string', default: 'embedded' },
    url: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const values = parseOptions('npm run fuzz', () => parseArgs({ args, options }));
  if (values.help) {
    print(USAGE.trimEnd());
    return;
  }
  const requests = parseNumber('requests', values.requests, [1, MAX_REQUESTS]);
  const seed = parseNumber('seed', values.seed, SEEDS);
  const limitMs = parseNumber('limit-ms', values['limit-ms'], [1, MAX_LIMIT_MS]);
  const set = parseAdapterSet(values.set);
  const service =
    values.url === undefined
      ? await startIndexedChain(set, SAMPLE, { environment: { HISTORY_LOG_LEVEL: 'info' }, scaled: true })
      : undefined;
  try {
    const url = values.url ?? service?.url ?? '';
    print(`seed ${seed}, ${requests} requests`);
    const memory = createMemoryMeter(service);
    const facts = readChainFacts(SAMPLE);
    const figures = await runFuzz({
      url,
      facts,
      requests,
      seed,
      limitMs,
      onProgress: memory.read,
    });
    const health = await readHealth(url);
    report(figures);
    print(`memory ${memory.describe()}; status of the service at the end: ${health}`);
    saveFailures(figures.failures);
    if (figures.failures.length > 0 || memory.grew() || health !== 'ok') process.exitCode = 1;
  } finally {
    await service?.stop();
  }
}

/** Resident memory of a service of our own: at the start, when warm, and at the end. */
function createMemoryMeter(service: IndexedChain | undefined) {
  const now = (): number | undefined => {
    const ofProcesses = (service?.pids() ?? []).map(currentMemory).filter((bytes) => bytes !== undefined);
    return ofProcesses.length > 0 ? ofProcesses.reduce((sum, bytes) => sum + bytes) : undefined;
  };
  const start = now();
  let warm: number | undefined;
  let last = start;
  const mega = (bytes: number | undefined): string =>
    bytes === undefined ? 'unknown' : `${Math.round(bytes / 1e6)} MB`;
  return {
    read(sent: number): void {
      last = now();
      if (sent === WARM_REQUESTS) warm = last;
    },
    describe: (): string => `${mega(start)} at the start, ${mega(warm)} when warm, ${mega(last)} at the end`,
    grew: (): boolean => warm !== undefined && last !== undefined && last > warm * MAX_GROWTH,
  };
}

async function readHealth(url: string): Promise<string> {
  const response = await fetch(`${url}/health`);
  return ((await response.json()) as { status: string }).status;
}

function report({ requests, responses, p50, p99, max, failures }: FuzzFigures): void {
  for (const [key, count] of Object.entries(responses).sort()) print(`${key.padEnd(45)} ${String(count).padStart(8)}`);
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  print(`${requests} responses: p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)}; ${failures.length} failures`);
  for (const { request, reason } of failures) {
    print(`${reason}: ${request.path} ${JSON.stringify(request.headers)} ${request.body.toString().slice(0, 200)}`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

runCommand('npm run fuzz', run);
