#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  CommandLineError,
  parseAdapterSet,
  parseNumber,
  parseOptions,
  runCommand,
  startReplay,
  startService,
  startSuite,
  stop,
  untilCommitted,
} from '@antelope-history/processes';
import type { StoreReader } from '@antelope-history/store';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { compareStores } from '@antelope-history/store/compare-stores';
import { openRecording } from '@antelope-history/test-support/recordings';
import { runWithKills } from './kill-run';
import { seedRange, SHORT_SEED, WHOLE_SEED } from './seeds/seed-size';
import { describeSummary, type SeedsOptions, simulateSeeds } from './seeds/simulate-seeds';
import { runWithFaults } from './suite-faults';
import { openSuiteStore } from './suite-store';

/** Time until an indexer notices a lost message. */
const STALL_SECONDS = '3';
const FAULTS_WITHIN_MS = 20_000;
const MAX_PARALLEL = 1_000;
const MAX_KILLS = 100_000;

const USAGE = `npm run simulate -- --seeds A-B [--set embedded|distributed] [--parallel N] [--keep DIR] [--short]

Plays a generated chain with faults for each seed, and compares every response with a model of the chain. What a failed seed
found is kept in a folder of its own below DIR (default: a temporary folder). --short plays the seeds of npm test, whose chains are
shorter and have fewer faults.

npm run simulate -- --recording DIR [--set embedded|distributed] [--kills N] [--seed N]

Indexes a recorded chain twice: without faults on the embedded set, and with faults. Then it compares all the data of both
stores and prints the differences. The same seed causes the same faults at the same moments of the run.
  embedded      the service is killed (SIGKILL) and started again
  distributed   every app runs as processes of its own, with two deserializers and two indexers; processes are killed,
                the broker closes connections and loses messages, and the key-value store loses all keys
`;

interface Simulation {
  recording: string;
  folder: string;
  lastBlock: { num: number; id: string };
  kills: number;
  seed: number;
}

async function run(args: string[]): Promise<void> {
  const options = {
    recording: { type: 'string' },
    seeds: { type: 'string' },
    parallel: { type: 'string', default: '1' },
    short: { type: 'boolean' },
    keep: { type: 'string', default: path.join(tmpdir(), 'antelope-history-simulate') },
    set: { type: 'string', default: 'embedded' },
    kills: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean' },
  } as const;
  const values = parseOptions('npm run simulate', () => parseArgs({ args, options }));
  const { recording, seeds } = values;
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const set = parseAdapterSet(values.set);
  if (seeds !== undefined) {
    await runSeeds(seeds, {
      set,
      size: values.short ? SHORT_SEED : WHOLE_SEED,
      parallel: parseNumber('parallel', values.parallel, [1, MAX_PARALLEL]),
      keepIn: values.keep,
    });
    return;
  }
  if (recording === undefined) throw new CommandLineError(`Give --seeds or --recording.\n\n${USAGE}`);
  const kills = parseNumber('kills', values.kills, [0, MAX_KILLS]);
  const seed = parseNumber('seed', values.seed, [0, Number.MAX_SAFE_INTEGER]);
  const lastBlock = openRecording(recording).messages.at(-1)?.thisBlock;
  if (!lastBlock) throw new Error(`${recording} has no block`);
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-simulate-'));
  const simulation = { recording, folder, lastBlock, kills, seed };
  try {
    await (set === 'embedded' ? simulateKills(simulation) : simulateFaults(simulation));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runSeeds(range: string, options: Omit<SeedsOptions, 'seeds' | 'report'>): Promise<void> {
  const [from = NaN, to = from] = range.split('-').map(Number);
  if (!(from >= 0 && to >= from))
    throw new CommandLineError(`--seeds takes a number or a range as 1-20, not "${range}"`);
  const report = (line: string): void => void process.stdout.write(`${line}\n`);
  const summary = await simulateSeeds({ ...options, seeds: seedRange(from, to), report });
  for (const [name, count] of [...summary.faults].sort()) report(`  ${name}: ${count}`);
  if (summary.failedSeeds.length > 0) report(`failed seeds: ${summary.failedSeeds.join(', ')}`);
  report(describeSummary(summary));
  if (summary.violations > 0) process.exitCode = 1;
}

async function simulateKills({ recording, folder, lastBlock, kills, seed }: Simulation): Promise<void> {
  const unbroken = path.join(folder, 'unbroken');
  const broken = path.join(folder, 'broken');
  const spanMs = await indexUnbroken(recording, unbroken, lastBlock.num);
  const replay = await startReplay(recording);
  const killedAt = await runWithKills({ url: replay.url, data: broken, lastBlock: lastBlock.num, kills, seed, spanMs });
  await stop(replay.child);
  process.stdout.write(`seed ${seed}: killed with block ${killedAt.join(', ')} committed, then ran to the end\n`);
  await compareWith(unbroken, await openLmdbStoreReader({ path: broken, mapSizeBytes: 0 }));
}

async function simulateFaults({ recording, folder, lastBlock, kills, seed }: Simulation): Promise<void> {
  const unbroken = path.join(folder, 'unbroken');
  await indexUnbroken(recording, unbroken, lastBlock.num);
  const replay = await startReplay(recording);
  const suite = await startSuite({
    shipUrl: replay.url,
    deserializers: 2,
    indexers: 2,
    logFolder: folder,
    environment: { HISTORY_INDEXER__STALL_SECONDS: STALL_SECONDS },
  });
  try {
    const happened = await runWithFaults({ suite, lastBlock, faults: kills, seed, spanMs: FAULTS_WITHIN_MS });
    process.stdout.write(`seed ${seed}: ${happened.join('; ')}; then ran to the end\n`);
    await compareWith(unbroken, await openSuiteStore(suite.set));
  } finally {
    await suite.stop();
    await stop(replay.child);
  }
}

/** Prints the differences of a store to that of the run without faults, and closes both. */
async function compareWith(unbroken: string, recovered: StoreReader): Promise<void> {
  const whole = await openLmdbStoreReader({ path: unbroken, mapSizeBytes: 0 });
  const { differences, ...counts } = await compareStores(whole, recovered);
  await whole.close();
  await recovered.close();
  process.stdout.write(`compared ${JSON.stringify(counts)}: ${differences.length} differences\n`);
  for (const difference of differences) process.stdout.write(`  ${difference}\n`);
  if (differences.length > 0) process.exitCode = 1;
}

async function indexUnbroken(recording: string, data: string, lastBlock: number): Promise<number> {
  const replay = await startReplay(recording);
  const service = startService(replay.url, data);
  try {
    const startedAt = await service.reading;
    await untilCommitted(data, lastBlock);
    const spanMs = Date.now() - startedAt;
    process.stdout.write(`unbroken run: ${spanMs} ms, block ${lastBlock} committed\n`);
    return spanMs;
  } finally {
    await stop(service.child);
    await stop(replay.child);
  }
}

runCommand('npm run simulate', run);
