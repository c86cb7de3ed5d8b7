import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDistributedSet, type Suite, startSuite } from '@antelope-history/processes';
import type { Services } from '@antelope-history/servers';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import type { Recording } from '@antelope-history/test-support/recordings';
import { largeState, smallBlocks } from './made-chains';
import { type MemoryCurve, sampleMemory } from './memory-curve';
import { SlowProxy } from './slow-proxy';

/** What a suite has to endure. */
export interface MemoryCase {
  name: string;
  chain(): Recording;
  /** When the last block must be committed, after the start. */
  limitMs: number;
  /** Runs beside the indexing of the chain, whose last block is committed when `committed` settles. */
  trouble?(store: SlowProxy, suite: Suite, committed: Promise<unknown>): Promise<void>;
}

export interface MemoryCaseOptions {
  /** Blocks of 1 KB. */
  blocks: number;
  /** Bytes of rows in the first message of a snapshot. */
  stateBytes: number;
  /** How long the store is away. */
  awaySeconds: number;
}

const KB = 1_000;
const POLL_MS = 200;
const SLOWER = 10;
const MEASURED_MS = 5_000;
/** Without an outage; a store that takes a tenth of what it could takes the longest. */
const LIMIT_MS = 3_600_000;

export function memoryCases({ blocks, stateBytes, awaySeconds }: MemoryCaseOptions): MemoryCase[] {
  const chain = (): Recording => smallBlocks(blocks, KB);
  return [
    { name: `${blocks} blocks of 1 KB`, chain, limitMs: LIMIT_MS },
    {
      name: `a first message with ${stateBytes / KB / KB} MB of deltas`,
      chain: () => largeState(stateBytes),
      limitMs: LIMIT_MS,
    },
    { name: 'the same blocks, a store that takes a tenth', chain, limitMs: LIMIT_MS, trouble: slowDown },
    {
      name: `the same blocks, a store that is away for ${awaySeconds} s`,
      chain,
      limitMs: LIMIT_MS + awaySeconds * 1_000,
      trouble: (store, suite) => goAway(store, suite, awaySeconds),
    },
  ];
}

/** Measures how many bytes per second the store takes, and from then on lets a tenth of it pass. */
async function slowDown(store: SlowProxy, suite: Suite, committed: Promise<unknown>): Promise<void> {
  await untilIndexing(suite);
  const before = store.passedBytes;
  await sleep(MEASURED_MS);
  store.bytesPerSecond = Math.max(1, (store.passedBytes - before) / (MEASURED_MS / 1_000) / SLOWER);
  await committed;
}

async function goAway(store: SlowProxy, suite: Suite, seconds: number): Promise<void> {
  await untilIndexing(suite);
  store.setAway(true);
  await sleep(seconds * 1_000);
  store.setAway(false);
}

async function untilIndexing(suite: Suite): Promise<void> {
  while ((await suite.figures()).indexedBlocks === 0) await sleep(POLL_MS);
}

/** Runs one case with a suite of its own on the servers; resolves with the memory of its processes. */
export async function runMemoryCase({ chain, trouble, limitMs }: MemoryCase, services: Services): Promise<MemoryCurve> {
  const recording = chain();
  const lastBlock = recording.messages.at(-1)?.thisBlock;
  if (!lastBlock) throw new Error('the chain ends without a block');
  const logFolder = mkdtempSync(path.join(tmpdir(), 'antelope-history-memory-'));
  let replay: ShipReplay | undefined;
  let store: SlowProxy | undefined;
  let suite: Suite | undefined;
  try {
    const set = await createDistributedSet(services);
    store = await SlowProxy.start(set.servers.get('elasticsearch') ?? '');
    const chainId = recording.chainId ?? '0'.repeat(64);
    replay = await createShipReplay({ recording, position: 'end', chainId });
    const environment = {
      HISTORY_STORE__ELASTICSEARCH__URLS: store.url,
      HISTORY_SHIP__SILENCE_SECONDS: '0',
      HISTORY_SHIP__MAX_MESSAGE_BYTES: String(2 ** 30),
      // The ids and roots of the blocks are invented.
      HISTORY_INDEXER__VERIFY_BLOCKS: 'off',
    };
    suite = await startSuite({ shipUrl: replay.url, set, logFolder, environment });
    const committed = suite.untilCommitted(lastBlock, limitMs);
    return await sampleMemory(suite, Promise.all([committed, trouble?.(store, suite, committed)]));
  } finally {
    await suite?.stop();
    await replay?.close();
    await store?.close();
    rmSync(logFolder, { recursive: true, force: true });
  }
}
