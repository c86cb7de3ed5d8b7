import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault';
import { type LateWrite, lateWriteFile } from './late-writer';

export interface LateWriterOptions {
  /** The file of `LATE_WRITER_VARIABLE`. */
  file: string;
  /** Ids of the blocks on losing branches. */
  orphans: readonly string[];
  /** URL of Elasticsearch, and the prefix of the indices. */
  elasticsearch: URL;
  indexPrefix: string;
  /** The longest wait for a block that the chain leaves. */
  beginLimitMs: number;
  /** Ends the connections of all apps to the broker. */
  cutBroker(): void;
}

/** On a machine that is busy with other work. */
const CLEAN_LIMIT_MS = 30_000;
const POLL_MS = 50;
const KEEP_DELETIONS_MS = 500;

/**
 * An indexer is suspended when it is about to write a block that the chain leaves, and goes on when that number has been cleaned.
 * Meanwhile RabbitMQ gives its messages to others, as it does when heartbeats are missed, and Elasticsearch forgets which documents
 * were deleted, as it does after a minute.
 */
export function lateWriterFault(options: LateWriterOptions): Fault {
  let isStruck = false;
  return {
    name: 'indexer suspended in the write of an orphan',
    strike: async (_random, count) => {
      if (isStruck) return;
      isStruck = true;
      const isLate = await suspendWriter(options);
      if (isLate) count('orphan written after its number was cleaned');
      isStruck = false;
    },
  };
}

/** Returns whether an indexer was suspended until the number of its block was cleaned, and went on. */
async function suspendWriter(options: LateWriterOptions): Promise<boolean> {
  const { file, orphans, beginLimitMs, cutBroker } = options;
  rmSync(lateWriteFile(file), { force: true });
  writeFileSync(file, orphans.join('\n'));
  const late = await within(beginLimitMs, () => Promise.resolve(readLateWrite(file)));
  rmSync(file, { force: true });
  if (!late) return false;
  cutBroker();
  await forgetDeletions(options);
  const isCleaned = await within(
    CLEAN_LIMIT_MS,
    async () => (await readCleanUpTo(options)) >= late.blockNum || undefined,
  );
  await sleep(3 * KEEP_DELETIONS_MS);
  try {
    process.kill(late.pid, 'SIGCONT');
  } catch {
    // It was killed meanwhile.
    return false;
  }
  return isCleaned === true;
}

async function within<T>(limitMs: number, find: () => Promise<T | undefined>): Promise<T | undefined> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const found = await find();
    if (found !== undefined || performance.now() > limit) return found;
    await sleep(POLL_MS);
  }
}

function readLateWrite(file: string): LateWrite | undefined {
  try {
    return JSON.parse(readFileSync(lateWriteFile(file), 'utf8')) as LateWrite;
  } catch {
    return undefined;
  }
}

async function forgetDeletions({ elasticsearch, indexPrefix }: LateWriterOptions): Promise<void> {
  await fetch(new URL(`/${indexPrefix}-*/_settings`, elasticsearch), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ 'index.gc_deletes': `${KEEP_DELETIONS_MS}ms` }),
  });
}

async function readCleanUpTo({ elasticsearch, indexPrefix }: LateWriterOptions): Promise<number> {
  const response = await fetch(new URL(`/${indexPrefix}-progress/_source/progress`, elasticsearch));
  return response.ok ? ((await response.json()) as { clean_up_to: number }).clean_up_to : -1;
}
