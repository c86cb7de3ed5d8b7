import { setTimeout as sleep } from 'node:timers/promises';
import { readMetric, type SupervisedApp } from '@antelope-history/processes';
import type { ElasticsearchProxy } from './elasticsearch-proxy';
import type { LastBlocks, Trial } from './fault';
import type { SocketProxy } from './socket-proxy';

export interface TrialParts {
  apps: readonly SupervisedApp[];
  documents: ElasticsearchProxy;
  elasticsearch: SocketProxy;
  rabbitmq: SocketProxy;
}

/** For what a trial prepares: a machine that is busy with other work takes long to start processes. */
const PREPARE_LIMIT_MS = 180_000;
const POLL_MS = 100;
const METRICS_LIMIT_MS = 5_000;

/** What is left of earlier blocks is cleaned before the last ones come. */
const SETTLE_MS = 2_000;

/** The trials of a distributed set, of which a seed runs one. */
export const TRIAL_NAMES = ['second reader falls silent', 'store hangs', 'store is away, connections cut'] as const;
export type TrialName = (typeof TRIAL_NAMES)[number];

/** When a trial follows, an indexer waits longer than any trial may take before it has the chain read again. */
export const LONG_STALL_SECONDS = 60;

export function createTrial(name: TrialName, parts: TrialParts): Trial {
  const trials: Record<TrialName, Trial['run']> = {
    'second reader falls silent': (last) => trySilentReader(parts, last),
    'store hangs': (last) => tryHangingStore(parts, last),
    'store is away, connections cut': (last) => tryCutConnections(parts, last),
  };
  return { name, run: trials[name] };
}

/** Much longer than a commit takes on a busy machine, and much shorter than `LONG_STALL_SECONDS`. */
const SILENT_LIMIT_MS = 30_000;
/** Shorter than the time after which RabbitMQ gives up a client that is suspended. */
const SUSPENDED_LIMIT_MS = 10_000;

/**
 * A reader that starts sends a block that is already committed, and then nothing more: the other one must go on as if there were
 * only that one.
 */
async function trySilentReader({ apps }: TrialParts, last: LastBlocks): Promise<string | undefined> {
  const [first, second] = apps.filter(({ app }) => app === 'reader');
  if (!first || !second) throw new Error('the trial needs two readers');
  try {
    if (!(await repeatBlock(first, second, last))) return undefined;
    signal(second, 'SIGSTOP');
    if (await last.isShownWithin(last.play(last.left), SILENT_LIMIT_MS)) return undefined;
    return `it is not shown ${SILENT_LIMIT_MS / 1000} s after the first reader had it`;
  } finally {
    signal(second, 'SIGCONT');
  }
}

/**
 * Has the second reader begin with a block that the first one has sent before. Returns false on a machine that is so busy that the
 * broker gives up a suspended reader meanwhile: then the trial says nothing.
 */
async function repeatBlock(first: SupervisedApp, second: SupervisedApp, last: LastBlocks): Promise<boolean> {
  // From here on the blocks of the first one are those that are committed.
  await restart(first);
  signal(second, 'SIGSTOP');
  if (!(await last.isShownWithin(last.play(1), SUSPENDED_LIMIT_MS))) return false;
  await restart(second);
  signal(second, 'SIGSTOP');
  if (!(await last.isShownWithin(last.play(1), SUSPENDED_LIMIT_MS))) return false;
  signal(second, 'SIGCONT');
  await until(async () => ((await metricOf(second, 'history_ship_messages_total')) ?? 0) > 0);
  return true;
}

const HANG_MS = 45_000;
const BLOCK_EVERY_MS = 1_000;
const HANG_LIMIT_MS = 60_000;

/**
 * The store hangs, and is distant afterwards: what an indexer does every second then takes longer than a second. It must not have
 * queued up meanwhile, or the next blocks would wait for all of it.
 */
async function tryHangingStore({ documents }: TrialParts, last: LastBlocks): Promise<string | undefined> {
  documents.mode = 'hanging';
  // Each of the two indexers has one to write.
  last.play(2);
  await sleep(HANG_MS);
  documents.mode = 'distant';
  const shown: Promise<boolean>[] = [];
  while (last.left > 0) {
    shown.push(last.isShownWithin(last.play(1), HANG_LIMIT_MS));
    await sleep(BLOCK_EVERY_MS);
  }
  const late = (await Promise.all(shown)).filter((isShown) => !isShown).length;
  documents.mode = 'as it is';
  return late === 0 ? undefined : `${late} of the last blocks are not shown within ${HANG_LIMIT_MS / 1000} s`;
}

const CUTS = 6;
const RECONNECT_LIMIT_MS = 10_000;
/** For the broker to deliver everything over the new connections. */
const DELIVERY_MS = 1_000;
/** A block may be sent again by a reader, and written again when its acknowledgement was lost. */
const WRITES_PER_BLOCK = 3;

/** Messages are delivered again and again while nothing can be written: an indexer must not hold them once for each delivery. */
async function tryCutConnections(
  { apps, elasticsearch, rabbitmq }: TrialParts,
  last: LastBlocks,
): Promise<string | undefined> {
  await last.isShownWithin(last.play(1), PREPARE_LIMIT_MS);
  await sleep(SETTLE_MS);
  const before = await writtenBlocks(apps);
  const blocks = last.left;
  const workers = apps.filter(({ app }) => app === 'indexer' || app === 'deserializer').length;
  elasticsearch.refuse();
  const block = last.play(blocks);
  await sleep(SETTLE_MS);
  for (let cut = 0; cut < CUTS; cut++) {
    rabbitmq.cutNow();
    await until(() => Promise.resolve(rabbitmq.connections >= workers), RECONNECT_LIMIT_MS);
    await sleep(DELIVERY_MS);
  }
  elasticsearch.admit();
  await last.isShownWithin(block, PREPARE_LIMIT_MS);
  await sleep(SETTLE_MS);
  const written = (await writtenBlocks(apps)) - before;
  return written <= WRITES_PER_BLOCK * blocks
    ? undefined
    : `the indexers have written ${blocks} blocks ${written} times`;
}

async function writtenBlocks(apps: readonly SupervisedApp[]): Promise<number> {
  const indexers = apps.filter(({ app }) => app === 'indexer');
  const counts = await Promise.all(indexers.map((each) => untilMetric(each, 'history_indexed_blocks_total')));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Kills an app; resolves when it runs again and reads a node. */
async function restart(app: SupervisedApp): Promise<void> {
  const { pid } = app;
  signal(app, 'SIGKILL');
  await until(async () => app.pid !== 0 && app.pid !== pid && (await metricOf(app, 'history_ship_connected')) === 1);
}

/** The value of a metric; undefined while the app does not respond. */
async function metricOf({ operationsUrl }: SupervisedApp, name: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${operationsUrl}/metrics`, { signal: AbortSignal.timeout(METRICS_LIMIT_MS) });
    return readMetric(await response.text(), name);
  } catch {
    return undefined;
  }
}

async function untilMetric(app: SupervisedApp, name: string): Promise<number> {
  let value: number | undefined;
  await until(async () => (value = await metricOf(app, name)) !== undefined);
  return value ?? 0;
}

async function until(isSo: () => Promise<boolean>, limitMs = PREPARE_LIMIT_MS): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await isSo()) && performance.now() < limit) await sleep(POLL_MS);
}

function signal({ pid }: SupervisedApp, name: NodeJS.Signals): void {
  if (pid !== 0) process.kill(pid, name);
}
