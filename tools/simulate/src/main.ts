#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openRecording } from '@antelope-history/recordings';
import { startReplay, startService, stop, untilCommitted } from '@antelope-history/service-process';
import { openLmdbStore } from '@antelope-history/store-lmdb';
import { compareStores } from '@antelope-history/store-comparison';
import { runWithKills } from './kill-run';

const USAGE = `npm run simulate -- --recording DIR [--kills N] [--seed N]

Indexes a recorded chain twice: unbroken, and killed (SIGKILL) at random moments and started again. Then it asks both
stores for everything and says what differs. The same seed kills at the same moments of the run.
`;

async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      recording: { type: 'string' },
      kills: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean' },
    },
  });
  if (values.help || values.recording === undefined) {
    process.stdout.write(USAGE);
    if (!values.help) process.exitCode = 1;
    return;
  }
  const lastBlock = openRecording(values.recording).messages.at(-1)?.thisBlock?.num ?? 0;
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-simulate-'));
  try {
    await simulate(values.recording, folder, lastBlock, Number(values.kills), Number(values.seed));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function simulate(
  recording: string,
  folder: string,
  lastBlock: number,
  kills: number,
  seed: number,
): Promise<void> {
  const unbroken = path.join(folder, 'unbroken');
  const broken = path.join(folder, 'broken');
  const spanMs = await indexUnbroken(recording, unbroken, lastBlock);
  process.stdout.write(`unbroken run: ${spanMs} ms, block ${lastBlock} committed\n`);
  const replay = await startReplay(recording);
  const killedAt = await runWithKills({ url: replay.url, data: broken, lastBlock, kills, seed, spanMs });
  await stop(replay.child);
  process.stdout.write(`seed ${seed}: killed with block ${killedAt.join(', ')} committed, then ran to the end\n`);
  const whole = await openLmdbStore({ path: unbroken, mapSizeBytes: 0, readOnly: true });
  const mended = await openLmdbStore({ path: broken, mapSizeBytes: 0, readOnly: true });
  const { differences, ...counts } = await compareStores(whole, mended);
  await whole.close();
  await mended.close();
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
    return Date.now() - startedAt;
  } finally {
    await stop(service.child);
    await stop(replay.child);
  }
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`simulate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
