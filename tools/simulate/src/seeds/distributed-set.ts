import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { branchOf, type GeneratedChain } from '@antelope-history/chain-generator';
import { type AppName, startSuite, type Suite } from '@antelope-history/processes';
import {
  holdServices,
  identify,
  type ProcessIdentity,
  releaseServices,
  SERVICE_NAMES,
} from '@antelope-history/servers';
import { pick } from '@antelope-history/test-support/random';
import { CLOCK_FILE_VARIABLE } from './clock-step';
import type { Fault, SetParts, SetUnderTest } from './fault';
import { LATE_WRITER_VARIABLE } from './late-writer';
import { lateWriterFault } from './late-writer-fault';
import { processFaults, signal } from './process-faults';
import { ServerProxies, type ServerUrls } from './server-proxies';
import { RETAIN_BLOCKS_VARIABLE } from './short-delays';
import { createTrial, LONG_STALL_SECONDS, TRIAL_NAMES, type TrialName } from './trials';

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
const INDEXING: AppName[] = ['reader', 'deserializer', 'indexer'];
const QUEUES = ['raw-blocks', 'block-records', 'refetch'];

/** Starts every app as processes of its own, on the test servers, with a proxy in front of each server. */
export async function startDistributedSet(parts: SetParts, hasTrial: boolean): Promise<SetUnderTest> {
  mkdirSync(parts.folder, { recursive: true });
  const holder = identify(process.pid) as ProcessIdentity;
  const urls = await holdServers(holder);
  const proxies = await ServerProxies.open(urls, parts.random);
  const closeServers = async (): Promise<void> => {
    await proxies.close();
    await releaseServices(holder);
  };
  const trial = hasTrial ? pick(parts.random, TRIAL_NAMES) : undefined;
  const givenUp: string[] = [];
  try {
    const suite = await startApps(parts, proxies, trial, givenUp);
    return new DistributedSetUnderTest(
      parts,
      { suite, proxies, elasticsearch: urls.elasticsearch, closeServers },
      trial,
      givenUp,
    );
  } catch (error) {
    await closeServers();
    throw error;
  }
}

async function holdServers(holder: ProcessIdentity): Promise<ServerUrls> {
  const { available } = await holdServices(SERVICE_NAMES, holder, () => undefined);
  const [elasticsearch, rabbitmq, redis] = SERVICE_NAMES.map((name) => new URL(available.get(name)?.url ?? ''));
  if (!elasticsearch || !rabbitmq || !redis) throw new Error('a server of the distributed set is missing');
  return { elasticsearch, rabbitmq, redis };
}

/** `givenUp` receives the errors of processes that are no longer started again. */
function startApps(
  { urls, folder, random, retainBlocks }: SetParts,
  { sockets }: ServerProxies,
  trial: TrialName | undefined,
  givenUp: string[],
): Promise<Suite> {
  const preloaded = PRELOADED.map((name) => `--require ${path.resolve(__dirname, '../../dist/seeds', name)}`);
  return startSuite({
    shipUrl: urls.join(),
    deserializers: 2,
    indexers: 2,
    readers: trial === 'second reader falls silent' ? 2 : 1,
    logFolder: folder,
    fail: ({ message }) => void givenUp.push(message),
    environment: {
      ...ENVIRONMENT,
      ...(trial && { HISTORY_INDEXER__STALL_SECONDS: String(LONG_STALL_SECONDS) }),
      HISTORY_STORE__ELASTICSEARCH__URLS: `http://127.0.0.1:${sockets.elasticsearch.port}`,
      HISTORY_STORE__ELASTICSEARCH__BLOCKS_PER_INDEX: String(10 + random(60)),
      HISTORY_STORE__ELASTICSEARCH__ACTIONS_PER_INDEX: String(20 + random(200)),
      [RETAIN_BLOCKS_VARIABLE]: String(retainBlocks),
      HISTORY_BROKER__RABBITMQ__URL: `amqp://127.0.0.1:${sockets.rabbitmq.port}`,
      HISTORY_KEY_VALUE__REDIS__URL: `redis://127.0.0.1:${sockets.redis.port}`,
      [CLOCK_FILE_VARIABLE]: clockFile(folder),
      [LATE_WRITER_VARIABLE]: lateFile(folder),
      NODE_OPTIONS: preloaded.join(' '),
    },
  });
}

/** What runs, and how the proxies and servers are closed. */
interface RunningParts {
  suite: Suite;
  proxies: ServerProxies;
  elasticsearch: URL;
  closeServers(): Promise<void>;
}

class DistributedSetUnderTest implements SetUnderTest {
  readonly url: string;
  readonly removesEachBlock = false;
  readonly logFolder: string;
  readonly faults: Fault[];
  readonly trial: SetUnderTest['trial'];

  constructor(
    parts: SetParts,
    private readonly running: RunningParts,
    trial: TrialName | undefined,
    readonly givenUp: readonly string[],
  ) {
    const { suite, proxies } = running;
    this.url = suite.url;
    this.logFolder = parts.folder;
    this.trial = trial && createTrial(trial, { apps: suite.apps, documents: proxies.documents, ...proxies.sockets });
    const late = this.lateWriterFault(parts);
    this.faults = [
      ...processFaults(suite.apps),
      late,
      late,
      ...proxies.faults(),
      ...lossFaults(suite),
      clockFault(parts.folder),
    ];
  }

  async killIndexing(): Promise<void> {
    for (const app of this.running.suite.apps) if (INDEXING.includes(app.app)) signal(app, 'SIGKILL');
    await Promise.resolve();
  }

  async calm(): Promise<void> {
    this.running.proxies.calm();
    for (const app of this.running.suite.apps) signal(app, 'SIGCONT');
    await Promise.resolve();
  }

  async showStored(): Promise<void> {
    const refresh = new URL(`/${this.indexPrefix}-*/_refresh`, this.running.elasticsearch);
    const { status } = await fetch(refresh, { method: 'POST' });
    if (status !== 200) throw new Error(`Elasticsearch refreshes no index: status ${status}`);
  }

  async stop(): Promise<void> {
    await this.calm();
    await this.running.suite.stop();
    await this.running.closeServers();
  }

  private get indexPrefix(): string {
    return this.running.suite.set.environment.store['HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX'] ?? '';
  }

  private lateWriterFault({ chain, folder, spanMs }: SetParts): Fault {
    return lateWriterFault({
      file: lateFile(folder),
      orphans: orphansOf(chain),
      elasticsearch: this.running.elasticsearch,
      indexPrefix: this.indexPrefix,
      beginLimitMs: 2 * spanMs,
      cutBroker: () => this.running.proxies.sockets.rabbitmq.cutNow(),
    });
  }
}

function lossFaults({ set }: Suite): Fault[] {
  return [
    { name: 'redis emptied', strike: () => set.faults.forgetKeys() },
    { name: 'rabbitmq lost messages', strike: async (random) => set.faults.loseMessages(pick(random, QUEUES)) },
  ];
}

function clockFault(folder: string): Fault {
  return {
    name: 'clock stepped',
    strike: async (random) => {
      writeFileSync(clockFile(folder), String((random(49) - 24) * HOUR_MS));
      await sleep(random(1000));
    },
  };
}

/** The file of `CLOCK_FILE_VARIABLE`. */
function clockFile(folder: string): string {
  return path.join(folder, 'clock');
}

/** The file of `LATE_WRITER_VARIABLE`. */
function lateFile(folder: string): string {
  return path.join(folder, 'late-writer');
}

/** The blocks that the chain leaves. */
function orphansOf({ blocks, tip, first }: GeneratedChain): string[] {
  const branch = new Set(branchOf(tip, first));
  return blocks.filter((block) => !branch.has(block)).map(({ id }) => id);
}
