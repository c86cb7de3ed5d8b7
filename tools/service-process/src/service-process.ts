import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { outputLines, startProgram } from './child';

/** The whole service in a process of its own, on the embedded store. */
export interface ServiceProcess {
  child: ChildProcess;
  /** When it asked a node for the first block, in milliseconds since 1970, by its own log. */
  reading: Promise<number>;
  /** Where its gateway listens: `http://…`, by its own log. */
  gateway: Promise<string>;
  /** Where its operations listener is: `http://…`, by its own log. */
  operations: Promise<string>;
  /** The block that is committed; 0 while there is none. */
  committedNow(): Promise<number>;
}

interface LogEntry {
  level: number;
  msg: string;
  time: number;
  url?: string;
}

const POLL_MS = 5;
const LIMIT_MS = 600_000;
const FATAL_LEVEL = 50;

/** Starts the service on a state history URL with a data directory and free ports; `environment` configures more. */
export function startService(url: string, data: string, environment: Record<string, string> = {}): ServiceProcess {
  const child = startProgram('apps/standalone/dist/main.js', [], {
    HISTORY_SHIP__URLS: url,
    HISTORY_STORE__LMDB__PATH: data,
    HISTORY_GATEWAY__PORT: '0',
    HISTORY_GATEWAY__HOST: '127.0.0.1',
    HISTORY_OPS__GATEWAY_PORT: '0',
    ...environment,
  });
  const firstEntry = watchLog(child);
  return {
    child,
    reading: firstEntry('reading state history', ({ time }) => time),
    gateway: firstEntry('gateway listening', ({ url: listening = '' }) => listening),
    operations: firstEntry('operations listening', ({ url: listening = '' }) => listening),
    committedNow: () => committedIn(data),
  };
}

/** Reads the log to its end; gives what is wanted of the first entry with a message. Errors go to this process's own output. */
function watchLog(child: ChildProcess): <T>(message: string, wanted: (entry: LogEntry) => T) => Promise<T> {
  const awaited = new Map<string, { resolve(entry: LogEntry): void; reject(error: Error): void }>();
  void (async () => {
    for await (const line of outputLines(child)) {
      const entry = JSON.parse(line) as LogEntry;
      if (entry.level >= FATAL_LEVEL) process.stderr.write(`${line}\n`);
      awaited.get(entry.msg)?.resolve(entry);
    }
    for (const [message, { reject }] of awaited) reject(new Error(`the service ended before it logged "${message}"`));
  })();
  return (message, wanted) => {
    const entry = new Promise<LogEntry>((resolve, reject) => awaited.set(message, { resolve, reject }));
    const found = entry.then(wanted);
    // A service may be stopped before it comes so far, by a caller that never asked.
    found.catch(() => undefined);
    return found;
  };
}

async function committedIn(data: string): Promise<number> {
  const store = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
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

async function openWhenThere(data: string): ReturnType<typeof openLmdbStoreReader> {
  for (let tries = 0; ; tries++) {
    try {
      return await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
    } catch (error) {
      if (tries > 1000) throw error;
      await sleep(POLL_MS);
    }
  }
}
