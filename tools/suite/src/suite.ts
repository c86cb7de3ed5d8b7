import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceClient } from '@antelope-history/quick-start';
import { ROUTES } from '@antelope-history/routes';
import {
  holdServices,
  identify,
  type ProcessIdentity,
  releaseServices,
  SERVICE_NAMES,
} from '@antelope-history/services';
import { AppProcess } from './app-process';
import { API_KINDS, type AppKind } from './apps';
import { createDistributedSet, type DistributedSet } from './distributed-set';
import { readSuiteFigures, type SuiteFigures } from './suite-figures';

export interface SuiteOptions {
  /** State history socket of a node. */
  shipUrl: string;
  /** How many of each; 1 by default. */
  deserializers?: number;
  indexers?: number;
  /** Of each API. */
  apis?: number;
  /** Port of the gateway; a free one by default. */
  port?: number;
  /** Configures more of every app. */
  environment?: NodeJS.ProcessEnv;
  /** Where logs are kept, a file per app. */
  logFolder: string;
  /** Told what a person should know. */
  report?: (line: string) => void;
  /** Called when an app cannot be kept running. */
  fail?: (error: Error) => void;
}

/** Every app as processes of their own on servers of the distributed set, with fresh names there. */
export interface Suite {
  /** Of the gateway. */
  url: string;
  /** Of the gateway's operations listener. */
  operationsUrl: string;
  apps: readonly AppProcess[];
  /** Where it keeps everything. */
  set: DistributedSet;
  figures(): Promise<SuiteFigures>;
  /** Resolves when a block is committed, and asked for its number answers with its id; rejects after ten minutes. */
  untilCommitted(block: { num: number; id: string }): Promise<void>;
  /** Ends every app, removes what was kept, and lets go of the servers. */
  stop(): Promise<void>;
}

const POLL_MS = 25;
const COMMIT_LIMIT_MS = 600_000;

/** Brings up servers that are missing, and starts every app. Rejects when one does not run, and stops the others then. */
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
  private readonly apps: AppProcess[] = [];
  private set: DistributedSet | undefined;

  constructor(private readonly options: SuiteOptions) {}

  async start(): Promise<Suite> {
    const { report = () => undefined, shipUrl, deserializers = 1, indexers = 1, apis = 1, port = 0 } = this.options;
    const set = await createDistributedSet(await holdServices(SERVICE_NAMES, this.holder, report));
    this.set = set;
    const { store, broker, keyValue } = set.environment;
    await settle([
      ...this.startSome('deserializer', deserializers, { ...broker, ...keyValue }),
      ...this.startSome('indexer', indexers, { ...store, ...broker, ...keyValue }),
      ...API_KINDS.flatMap((kind) => this.startSome(kind, apis, { ...store, ...keyValue })),
    ]);
    await settle(this.startSome('gateway', 1, { ...keyValue, ...this.gatewayEnvironment() }, port));
    // Last, so that nobody who works on blocks is still being started.
    await settle(this.startSome('reader', 1, { HISTORY_SHIP__URLS: shipUrl, ...broker, ...keyValue }));
    const { apps } = this;
    const [url = ''] = this.urlsOf('gateway');
    const operationsUrl = apps.find(({ kind }) => kind === 'gateway')?.operationsUrl ?? '';
    return {
      url,
      operationsUrl,
      apps,
      set,
      figures: () => readSuiteFigures(apps),
      untilCommitted: (block) => untilCommitted(url, apps, block),
      stop: () => this.stop(),
    };
  }

  async stop(): Promise<void> {
    const first = this.apps.filter(({ kind }) => kind === 'reader' || kind === 'gateway');
    await Promise.all(first.map((app) => app.stop()));
    await Promise.all(this.apps.map((app) => app.stop()));
    await this.set?.remove();
    await releaseServices(this.holder);
  }

  private gatewayEnvironment(): Record<string, string> {
    return {
      HISTORY_GATEWAY__HOST: '127.0.0.1',
      HISTORY_GATEWAY__HISTORY_API_URL: this.urlsOf('history-api').join(),
      HISTORY_GATEWAY__CHAIN_API_URL: this.urlsOf('chain-api').join(),
      HISTORY_GATEWAY__TRACE_API_URL: this.urlsOf('trace-api').join(),
    };
  }

  private urlsOf(kind: AppKind): string[] {
    return this.apps.filter((app) => app.kind === kind).map(({ url }) => url);
  }

  private startSome(kind: AppKind, count: number, environment: Record<string, string>, port = 0): Promise<void>[] {
    const { environment: given, logFolder, report = () => undefined, fail = () => undefined } = this.options;
    return Array.from({ length: count }, async (_, index) => {
      const app = new AppProcess({
        kind,
        name: count === 1 ? kind : `${kind}-${index + 1}`,
        environment: { ...process.env, ...environment, ...given },
        port,
        logFolder,
        report,
        fail,
      });
      this.apps.push(app);
      await app.start();
    });
  }
}

async function untilCommitted(
  url: string,
  apps: AppProcess[],
  { num, id }: { num: number; id: string },
): Promise<void> {
  const limit = Date.now() + COMMIT_LIMIT_MS;
  const client = new ServiceClient({ url });
  const { path, response } = ROUTES.getChainBlock;
  const isThere = async (): Promise<boolean> => {
    // Workers are asked first: a client that asks for blocks that are not there yet costs the store more.
    if ((await readSuiteFigures(apps)).committedBlock < num) return false;
    const block = await client.post(path, { block_num_or_id: num }).catch(() => undefined);
    return response.safeParse(block).data?.id === id;
  };
  while (!(await isThere())) {
    if (Date.now() > limit) throw new Error(`block ${num} was not committed in time`);
    await sleep(POLL_MS);
  }
}

/** Rejects as the first that does, but when none is under way any more: all can be stopped then. */
async function settle(promises: Promise<void>[]): Promise<void> {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}
