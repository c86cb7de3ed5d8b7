import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLmdbStore } from '@antelope-history/store-lmdb';
import { outputLines, startProgram } from './child';

/** The whole service in a process of its own, on the embedded store. */
export interface ServiceProcess {
  child: ChildProcess;
  /** When it asked a node for the first block, in milliseconds since 1970, by its own log. */
  reading: Promise<number>;
  /** The block that is committed; 0 while there is none. */
  committedNow(): Promise<number>;
}

const POLL_MS = 5;
const LIMIT_MS = 600_000;

/** Starts the service on a state history URL with a data directory and a free port. */
export function startService(url: string, data: string): ServiceProcess {
  const child = startProgram('apps/standalone/dist/main.js', [], {
    HISTORY_SHIP__URLS: url,
    HISTORY_STORE__PATH: data,
    HISTORY_GATEWAY__PORT: '0',
    HISTORY_GATEWAY__HOST: '127.0.0.1',
  });
  const reading = readingSince(child);
  // A service may be stopped before it reads, by a caller that never asked.
  reading.catch(() => undefined);
  return { child, reading, committedNow: () => committedIn(data) };
}

async function readingSince(service: ChildProcess): Promise<number> {
  for await (const line of outputLines(service)) {
    const entry = JSON.parse(line) as { level: number; msg: string; time: number };
    if (entry.level >= 50) process.stderr.write(`${line}\n`);
    if (entry.msg === 'reading state history') return entry.time;
  }
  throw new Error('the service ended before it read a block');
}

async function committedIn(data: string): Promise<number> {
  const store = await openLmdbStore({ path: data, mapSizeBytes: 0, readOnly: true });
  try {
    return (await store.getStatus()).committed?.num ?? 0;
  } finally {
    await store.close();
  }
}

/** Resolves when a block is committed in a data directory, which may not be there yet; rejects after ten minutes. */
export async function untilCommitted(data: string, blockNum: number): Promise<void> {
  const store = await openWhenThere(data);
  try {
    for (let waited = 0; waited < LIMIT_MS; waited += POLL_MS) {
      if ((await store.getStatus()).committed?.num === blockNum) return;
      await sleep(POLL_MS);
    }
    throw new Error(`block ${blockNum} was not committed in ten minutes`);
  } finally {
    await store.close();
  }
}

async function openWhenThere(data: string): ReturnType<typeof openLmdbStore> {
  for (let tries = 0; ; tries++) {
    try {
      return await openLmdbStore({ path: data, mapSizeBytes: 0, readOnly: true });
    } catch (error) {
      if (tries > 1000) throw error;
      await sleep(POLL_MS);
    }
  }
}
