import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { branchOf, type GeneratedChain } from '@antelope-history/chain-generator';
import { type AppName, startStack, type Stack, type SupervisedApp } from '@antelope-history/processes';
import {
  holdServices,
  identify,
  type ProcessIdentity,
  releaseServices,
  SERVICE_NAMES,
} from '@antelope-history/servers';
import type { Random } from '@antelope-history/test-support/random';
import { CLOCK_FILE_VARIABLE } from './clock-step';
import { type ElasticsearchMode, ElasticsearchProxy } from './elasticsearch-proxy';
import type { Fault, SetParts, SetUnderTest } from './fault';
import { LATE_WRITER_VARIABLE } from './late-writer';
import { lateWriterFault } from './late-writer-fault';
import { SocketProxy } from './socket-proxy';
import { createTrial, LONG_STALL_SECONDS, TRIAL_NAMES } from './trials';

/** Times that fit a run of seconds. */
const ENVIRONMENT = {
  HISTORY_SHIP__SILENCE_SECONDS: '3',
  HISTORY_SHIP__RECONNECT_MIN_SECONDS: '0.05',
  HISTORY_SHIP__RECONNECT_MAX_SECONDS: '1',
  HISTORY_INDEXER__STALL_SECONDS: '3',
  HISTORY_STORE__ELASTICSEARCH__REQUEST_TIMEOUT_SECONDS: '5',
  HISTORY_STORE__ELASTICSEARCH__COMMIT_SECONDS: '1',
};
const PRELOADED = ['clock-step.js', 'short-delays.js', 'late-writer.js'];
const HOUR_MS = 3_600_000;
/** Longer than each of the times above, and than the heartbeats of the broker's connections need. */
const LONG_MS = 8_000;
const MODES: ElasticsearchMode[] = [
  'refusing',
  'read-only',
  'slow',
  'failing items',
  'failing refreshes',
  'losing responses',
];
const INDEXING: AppName[] = ['reader', 'deserializer', 'indexer'];
const QUEUES = ['raw-blocks', 'block-records', 'refetch'];
/** So many processes suspended at once leave none of any kind. */
const AT_ONCE = 4;

/** Starts every app as processes of its own, on the test servers, with a proxy in front of each server. */
export async function startDistributedSet(
  { chain, urls, folder, random, spanMs }: SetParts,
  hasTrial: boolean,
): Promise<SetUnderTest> {
  mkdirSync(folder, { recursive: true });
  const holder = identify(process.pid) as ProcessIdentity;
  const { available } = await holdServices(SERVICE_NAMES, holder, () => undefined);
  const [elasticsearch, rabbitmq, redis] = SERVICE_NAMES.map((name) => new URL(available.get(name)?.url ?? ''));
  if (!elasticsearch || !rabbitmq || !redis) throw new Error('a server of the distributed set is missing');
  const documents = new ElasticsearchProxy(elasticsearch, random);
  const proxies = {
    elasticsearch: new SocketProxy({ host: '127.0.0.1', port: Number(new URL(await documents.listen()).port) }),
    rabbitmq: new SocketProxy({ host: rabbitmq.hostname, port: Number(rabbitmq.port || 5672) }),
    redis: new SocketProxy({ host: redis.hostname, port: Number(redis.port || 6379) }),
  };
  for (const proxy of Object.values(proxies)) await proxy.listen();
  const trialName = hasTrial ? pick(TRIAL_NAMES, random) : undefined;
  const lateFile = path.join(folder, 'late-writer');
  let stack: Stack | undefined;
  const givenUp: string[] = [];
  const stop = async (): Promise<void> => {
    await stack?.stop();
    await Promise.all([...Object.values(proxies), documents].map((proxy) => proxy.close()));
    await releaseServices(holder);
  };
  try {
    stack = await startStack({
      shipUrl: urls.join(),
      deserializers: 2,
      indexers: 2,
      readers: trialName === 'second reader falls silent' ? 2 : 1,
      logFolder: folder,
      fail: ({ message }) => void givenUp.push(message),
      environment: {
        ...ENVIRONMENT,
        ...(hasTrial && { HISTORY_INDEXER__STALL_SECONDS: String(LONG_STALL_SECONDS) }),
        HISTORY_STORE__ELASTICSEARCH__URLS: `http://127.0.0.1:${proxies.elasticsearch.port}`,
        HISTORY_STORE__ELASTICSEARCH__BLOCKS_PER_INDEX: String(10 + random(60)),
        HISTORY_STORE__ELASTICSEARCH__ACTIONS_PER_INDEX: String(20 + random(200)),
        HISTORY_BROKER__RABBITMQ__URL: `amqp://127.0.0.1:${proxies.rabbitmq.port}`,
        HISTORY_KEY_VALUE__REDIS__URL: `redis://127.0.0.1:${proxies.redis.port}`,
        [CLOCK_FILE_VARIABLE]: path.join(folder, 'clock'),
        [LATE_WRITER_VARIABLE]: lateFile,
        NODE_OPTIONS: PRELOADED.map((name) => `--require ${path.resolve(__dirname, '../../dist/seeds', name)}`).join(
          ' ',
        ),
      },
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const { apps, set, url } = stack;
  const calm = async (): Promise<void> => {
    documents.mode = 'as it is';
    for (const proxy of Object.values(proxies)) {
      proxy.admit();
      proxy.thaw();
    }
    for (const app of apps) signal(app, 'SIGCONT');
    await Promise.resolve();
  };
  const indexPrefix = set.environment.store['HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX'] ?? '';
  const late = lateWriterFault({
    file: lateFile,
    orphans: orphansOf(chain),
    elasticsearch,
    indexPrefix,
    beginLimitMs: 2 * spanMs,
    cutBroker: () => proxies.rabbitmq.cutNow(),
  });
  return {
    url,
    trial: trialName && createTrial(trialName, { apps, documents, ...proxies }),
    killIndexing: async () => {
      for (const app of apps) if (INDEXING.includes(app.app)) signal(app, 'SIGKILL');
      await Promise.resolve();
    },
    faults: [
      ...processFaults(apps),
      late,
      late,
      ...Object.entries(proxies).flatMap(([name, proxy]) => serverFaults(name, proxy)),
      ...MODES.map((mode) => elasticsearchFault(mode, documents)),
      { name: 'redis emptied', strike: () => set.faults.forgetKeys() },
      { name: 'rabbitmq lost messages', strike: async (own) => set.faults.loseMessages(pick(QUEUES, own)) },
      {
        name: 'clock stepped',
        strike: async (own) => {
          writeFileSync(path.join(folder, 'clock'), String((own(49) - 24) * HOUR_MS));
          await sleep(own(1000));
        },
      },
    ],
    calm,
    showStored: async () => {
      const { status } = await fetch(new URL(`/${indexPrefix}-*/_refresh`, elasticsearch), { method: 'POST' });
      if (status !== 200) throw new Error(`Elasticsearch refreshes no index: status ${status}`);
    },
    givenUp,
    logFolder: folder,
    stop: async () => {
      await calm();
      await stop();
    },
  };
}

/** The blocks that the chain leaves. */
function orphansOf({ blocks, tip, first }: GeneratedChain): string[] {
  const branch = new Set(branchOf(tip, first));
  return blocks.filter((block) => !branch.has(block)).map(({ id }) => id);
}

function processFaults(apps: readonly SupervisedApp[]): Fault[] {
  return [
    {
      name: 'process killed',
      strike: async (random) => {
        signal(pick(apps, random), 'SIGKILL');
        await Promise.resolve();
      },
    },
    {
      name: 'several processes killed',
      strike: async (random) => {
        for (let count = 2 + random(AT_ONCE); count > 0; count--) signal(pick(apps, random), 'SIGKILL');
        await Promise.resolve();
      },
    },
    {
      name: 'process suspended',
      strike: async (random) => suspend([pick(apps, random)], random(LONG_MS)),
    },
    {
      name: 'several processes suspended',
      strike: async (random) => {
        const some = Array.from({ length: 2 + random(AT_ONCE) }, () => pick(apps, random));
        await suspend(some, random(LONG_MS));
      },
    },
    {
      // A worker that sleeps through a clean-up is the one that could bring back what was removed.
      name: 'indexer suspended',
      strike: async (random) => {
        const indexers = apps.filter(({ app }) => app === 'indexer');
        await suspend([pick(indexers, random)], LONG_MS);
      },
    },
  ];
}

async function suspend(apps: readonly SupervisedApp[], ms: number): Promise<void> {
  const pids = [...new Set(apps.map(({ pid }) => pid))].filter((pid) => pid !== 0);
  for (const pid of pids) signalPid(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) signalPid(pid, 'SIGCONT');
}

function serverFaults(name: string, proxy: SocketProxy): Fault[] {
  return [
    {
      name: `${name} connections cut`,
      strike: async (random) => {
        proxy.cutAfter(random(20_000));
        await sleep(random(200));
      },
    },
    {
      name: `${name} frozen`,
      strike: async (random) => {
        proxy.freeze();
        await sleep(random(LONG_MS));
        proxy.thaw();
      },
    },
    {
      name: `${name} down`,
      strike: async (random) => {
        proxy.refuse();
        await sleep(random(LONG_MS));
        proxy.admit();
      },
    },
  ];
}

function elasticsearchFault(mode: ElasticsearchMode, proxy: ElasticsearchProxy): Fault {
  return {
    name: `elasticsearch ${mode}`,
    strike: async (random) => {
      proxy.mode = mode;
      await sleep(500 + random(4_000));
      proxy.mode = 'as it is';
    },
  };
}

/** A process that has ended and waits for its restart is left alone. */
function signal({ pid }: SupervisedApp, name: NodeJS.Signals): void {
  if (pid !== 0) signalPid(pid, name);
}

function signalPid(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[random(list.length)] as T;
}
