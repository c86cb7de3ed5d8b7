import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { ERROR } from './app-log';
import { startApp } from './app-process';

/** The whole service in one process, on the embedded set. */
export interface ServiceProcess {
  child: ChildProcess;
  /** Time of its first request for blocks to a node, in milliseconds since 1970, from its log. */
  reading: Promise<number>;
  /** URL of its gateway, from its log. */
  gateway: Promise<string>;
  /** URL of its operations listener, from its log. */
  operations: Promise<string>;
  /** Number of the committed block; 0 before the first commit. */
  committedNow(): Promise<number>;
}

const POLL_MS = 5;
const LIMIT_MS = 600_000;

/**
 * Starts the service on the URL of a state history socket, with a data directory and free ports. `environment` adds to its
 * configuration. Its errors are shown on this process's standard error.
 */
export function startService(url: string, data: string, environment: NodeJS.ProcessEnv = {}): ServiceProcess {
  const { child, logged } = startApp('standalone', {
    environment: { ...serviceEnvironment(url, data), ...environment },
    onEntry({ level }, line) {
      if (level >= ERROR) process.stderr.write(`${line}\n`);
    },
  });
  const urlIn = async (message: string): Promise<string> => (await logged(message)).url ?? '';
  return {
    child,
    reading: unawaited(logged('reading state history').then(({ time = 0 }) => time)),
    gateway: unawaited(urlIn('gateway listening')),
    operations: unawaited(urlIn('operations listening')),
    committedNow: () => committedIn(data),
  };
}

/** The configuration of a service on a node's URL and a data directory, which listens on free ports of this machine. */
export function serviceEnvironment(url: string, data: string): NodeJS.ProcessEnv {
  return {
    HISTORY_SHIP__URLS: url,
    HISTORY_STORE__LMDB__PATH: data,
    HISTORY_GATEWAY__PORT: '0',
    HISTORY_GATEWAY__HOST: '127.0.0.1',
    HISTORY_OPS__GATEWAY_PORT: '0',
  };
}

/** A caller may stop the service before these resolve, and never ask for them. */
function unawaited<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

async function committedIn(data: string): Promise<number> {
  const store = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
  try {
    return (await store.getStatus()).committed?.num ?? 0;
  } finally {
    await store.close();
  }
}

/**
 * Resolves when a block is the committed head of a data directory, which may not exist yet; rejects after ten minutes. `orLater`: a
 * higher block is enough.
 */
export async function untilCommitted(data: string, blockNum: number, { orLater = false } = {}): Promise<void> {
  const limit = Date.now() + LIMIT_MS;
  const store = await openWhenCreated(data, limit);
  try {
    for (;;) {
      const committed = (await store.getStatus()).committed?.num ?? 0;
      if (committed === blockNum || (orLater && committed > blockNum)) return;
      if (Date.now() > limit) throw new Error(`block ${blockNum} was not committed in ten minutes`);
      await sleep(POLL_MS);
    }
  } finally {
    await store.close();
  }
}

/** A service that starts beside other work takes a minute to create its store. */
async function openWhenCreated(data: string, limit: number): ReturnType<typeof openLmdbStoreReader> {
  for (;;) {
    try {
      return await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
    } catch (error) {
      if (Date.now() > limit) throw error;
      await sleep(POLL_MS);
    }
  }
}
