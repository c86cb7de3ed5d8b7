import { setTimeout as sleep } from 'node:timers/promises';
import { ROUTES } from '@antelope-history/routes';
import {
  holdServices,
  identify,
  type ProcessIdentity,
  releaseServices,
  SERVICE_NAMES,
} from '@antelope-history/servers';
import { ServiceClient } from '../service-client';
import { API_NAMES, type AppName } from './apps';
import { createDistributedSet, type DistributedSet } from './distributed-set';
import { readSuiteProgress, type SuiteProgress } from './suite-progress';
import { SupervisedApp } from './supervised-app';

export interface SuiteOptions {
  /** URL of a node's state history socket. */
  shipUrl: string;
  /** Number of processes; 1 by default. */
  readers?: number;
  deserializers?: number;
  indexers?: number;
  /** Number of processes of each API; 1 by default. */
  apis?: number;
  /** Port of the gateway; a free one by default. */
  port?: number;
  /** Variables that are added to the environment of every app. */
  environment?: NodeJS.ProcessEnv;
  /** The servers and names; by default fresh names on servers of this machine, which are started if they are missing. */
  set?: DistributedSet;
  /** Directory of the log files, one per process. */
  logFolder: string;
  /** Called with messages for a person. */
  report?: (line: string) => void;
  /** Called when an app cannot be kept running. */
  fail?: (error: Error) => void;
}

/** The running set of processes: every app as processes of its own, on the distributed set, with fresh names there. */
export interface Suite {
  /** URL of the gateway. */
  url: string;
  /** URL of the gateway's operations listener. */
  operationsUrl: string;
  apps: readonly SupervisedApp[];
  /** The names on the servers below which it keeps its data. */
  set: DistributedSet;
  figures(): Promise<SuiteProgress>;
  /**
   * Resolves when a block is committed and the gateway responds to a request for its number with its id; rejects, with the figures, after
   * `limitMs`, by default ten minutes.
   */
  untilCommitted(block: { num: number; id: string }, limitMs?: number): Promise<void>;
  /** Ends every app, removes its data, and releases the servers. */
  stop(): Promise<void>;
}

/** Each request for the metrics of a process takes milliseconds of its processor time. */
const POLL_MS = 100;
const COMMIT_LIMIT_MS = 600_000;

/** Brings up missing servers and starts every app. When an app does not run, the others are stopped and this rejects. */
export async function startSuite(options: SuiteOptions): Promise<Suite> {
  const starting = new StartingSuite(options);
  try {
    return await starting.start();
  } catch (error) {
    await starting.stop();
    throw error;
  }
}

class StartingSuite {
  private readonly holder = identify(process.pid) as ProcessIdentity;
  private readonly apps: SupervisedApp[] = [];
  private set: DistributedSet | undefined;

  constructor(private readonly options: SuiteOptions) {}

  async start(): Promise<Suite> {
    const { report = () => undefined, shipUrl, readers = 1, deserializers = 1 } = this.options;
    const { indexers = 1, apis = 1, port = 0 } = this.options;
    const set =
      this.options.set ?? (await createDistributedSet(await holdServices(SERVICE_NAMES, this.holder, report)));
    this.set = set;
    const { store, broker, keyValue } = set.environment;
    await settle([
      ...this.startSome('deserializer', deserializers, { ...broker, ...keyValue }),
      ...this.startSome('indexer', indexers, { ...store, ...broker, ...keyValue }),
      ...API_NAMES.flatMap((app) => this.startSome(app, apis, { ...store, ...keyValue })),
    ]);
    await settle(this.startSome('gateway', 1, { ...keyValue, ...this.gatewayEnvironment() }, port));
    // Readers start last, so that no worker is still starting when blocks arrive.
    await settle(this.startSome('reader', readers, { HISTORY_SHIP__URLS: shipUrl, ...broker, ...keyValue }));
    const { apps } = this;
    const [url = ''] = this.urlsOf('gateway');
    const operationsUrl = apps.find(({ app }) => app === 'gateway')?.operationsUrl ?? '';
    return {
      url,
      operationsUrl,
      apps,
      set,
      figures: () => readSuiteProgress(apps),
      untilCommitted: (block, limitMs = COMMIT_LIMIT_MS) => untilCommitted(url, apps, block, limitMs),
      stop: () => this.stop(),
    };
  }

  async stop(): Promise<void> {
    const first = this.apps.filter(({ app }) => app === 'reader' || app === 'gateway');
    await Promise.all(first.map((app) => app.stop()));
    await Promise.all(this.apps.map((app) => app.stop()));
    await this.set?.remove();
    if (!this.options.set) await releaseServices(this.holder);
  }

  private gatewayEnvironment(): Record<string, string> {
    return {
      HISTORY_GATEWAY__HOST: '127.0.0.1',
      HISTORY_GATEWAY__HISTORY_API_URL: this.urlsOf('history-api').join(),
      HISTORY_GATEWAY__CHAIN_API_URL: this.urlsOf('chain-api').join(),
      HISTORY_GATEWAY__TRACE_API_URL: this.urlsOf('trace-api').join(),
    };
  }

  private urlsOf(name: AppName): string[] {
    return this.apps.filter(({ app }) => app === name).map(({ url }) => url);
  }

  private startSome(app: AppName, count: number, environment: Record<string, string>, port = 0): Promise<void>[] {
    const { environment: given, logFolder, report = () => undefined, fail = () => undefined } = this.options;
    return Array.from({ length: count }, async (_, index) => {
      const supervised = new SupervisedApp({
        app,
        name: count === 1 ? app : `${app}-${index + 1}`,
        environment: { ...environment, ...given },
        port,
        logFolder,
        report,
        fail,
      });
      this.apps.push(supervised);
      await supervised.start();
    });
  }
}

async function untilCommitted(
  url: string,
  apps: SupervisedApp[],
  { num, id }: { num: number; id: string },
  limitMs: number,
): Promise<void> {
  const limit = Date.now() + limitMs;
  const client = new ServiceClient({ url });
  const { path, response } = ROUTES.getChainBlock;
  const indexers = apps.filter(({ app }) => app === 'indexer');
  const isCommitted = async (): Promise<boolean> => {
    // The indexers are asked first: a request for a block that does not exist yet costs the store more.
    if ((await readSuiteProgress(indexers)).committedBlock < num) return false;
    const block = await client.post(path, { block_num_or_id: num }).catch(() => undefined);
    return response.safeParse(block).data?.id === id;
  };
  while (!(await isCommitted())) {
    if (Date.now() > limit) throw notCommitted(num, await readSuiteProgress(apps));
    await sleep(POLL_MS);
  }
}

function notCommitted(num: number, figures: SuiteProgress): Error {
  return new Error(`block ${num} was not committed in time: ${JSON.stringify(figures)}`);
}

/** Rejects with the first rejection, after all promises have settled: then every app can be stopped. */
async function settle(promises: Promise<void>[]): Promise<void> {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}
