import { withLock } from './processes/lock';
import { isRunning, type ProcessIdentity } from './processes/process-identity';
import { isDockerRunning, startContainers, stopContainers } from './servers/compose';
import { checkHealth } from './servers/health';
import { getLocalServer, stopLocalServer } from './servers/local-servers';
import { findRabbitmqctl } from './servers/rabbitmqctl';
import type { Service } from './servers/server-programs';
import { type ServiceName, URL_VARIABLES } from './service-name';
import { removeServerFolders } from './server-folder';
import { readState, servicesFolder, type StartedServer, type State, writeState } from './state';

/** Longer than any start of the servers takes. */
const LOCK_LIMIT_MS = 1_200_000;

/** The servers that run, and the reason for each that does not. */
export interface Services {
  available: Map<ServiceName, Service>;
  missing: Map<ServiceName, string>;
}

/** The process that needs the servers until it ends or releases them; `everybody`: until `npm run services:stop`. */
export type Holder = ProcessIdentity | 'everybody';

/**
 * Starts the servers of `names` that do not run yet and waits until they are healthy. A server that the environment names is
 * used as it is, then one that was started here before, then a container where Docker runs, then a program of this machine.
 */
export async function holdServices(
  names: readonly ServiceName[],
  holder: Holder,
  say: (line: string) => void,
): Promise<Services> {
  const folder = servicesFolder();
  return withLock(folder, LOCK_LIMIT_MS, async () => {
    const running = new RunningServers(folder);
    if (running.isUnused) removeServerFolders(folder);
    running.hold(holder);
    const services: Services = { available: new Map(), missing: new Map() };
    await Promise.all(
      names.map(async (name) => {
        const given = process.env[URL_VARIABLES[name]];
        if (given !== undefined) await takeGiven(name, given, services);
        else await running.reuse(name, services);
      }),
    );
    const wanted = names.filter((name) => !services.available.has(name) && !services.missing.has(name));
    if (wanted.length > 0) await running.start(wanted, services, say);
    return services;
  });
}

/** Stops the servers that were started here, unless another holder needs them. */
export async function releaseServices(holder: ProcessIdentity): Promise<void> {
  const folder = servicesFolder();
  await withLock(folder, LOCK_LIMIT_MS, () => new RunningServers(folder).release(holder));
}

/** Stops the servers that were started here, or lets their last holder do so. Returns the process ids of the holders. */
export async function stopServices(): Promise<number[]> {
  const folder = servicesFolder();
  return withLock(folder, LOCK_LIMIT_MS, () => new RunningServers(folder).release('everybody'));
}

async function takeGiven(name: ServiceName, url: string, { available, missing }: Services): Promise<void> {
  try {
    await checkHealth[name](url);
    available.set(name, { url, ...(name === 'rabbitmq' && { rabbitmqctl: findRabbitmqctl() }) });
  } catch (error) {
    missing.set(name, `${URL_VARIABLES[name]} names one that can not be used: ${(error as Error).message}`);
  }
}

/** The servers of the state file. Its user must hold the lock. */
class RunningServers {
  private readonly state: State;

  constructor(private readonly folder: string) {
    this.state = readState(folder);
    this.state.holders = this.state.holders.filter(isRunning);
  }

  /** Whether no server runs that was started here, and nobody waits for one. */
  get isUnused(): boolean {
    const { kept, holders, servers } = this.state;
    return !kept && holders.length === 0 && !servers.some(({ processes }) => processes.some(isRunning));
  }

  hold(holder: Holder): void {
    if (holder === 'everybody') this.state.kept = true;
    else this.state.holders.push(holder);
    this.save();
  }

  async release(holder: Holder): Promise<number[]> {
    const { state } = this;
    if (holder === 'everybody') state.kept = false;
    else removeOne(state.holders, ({ pid }) => pid === holder.pid);
    this.save();
    if (!state.kept && state.holders.length === 0) await this.stop(state.servers);
    return state.holders.map(({ pid }) => pid);
  }

  /** Uses a server that was started before, or removes what is left of it. */
  async reuse(name: ServiceName, { available }: Services): Promise<void> {
    const server = this.state.servers.find((candidate) => candidate.name === name);
    if (!server) return;
    try {
      await checkHealth[name](server.url);
      available.set(name, server);
    } catch {
      await this.stop([server]);
    }
  }

  async start(names: ServiceName[], services: Services, say: (line: string) => void): Promise<void> {
    if (await isDockerRunning()) await this.startContainers(names, services, say);
    else await Promise.all(names.map((name) => this.startLocal(name, services, say)));
  }

  private async startContainers(
    names: ServiceName[],
    { available, missing }: Services,
    say: (line: string) => void,
  ): Promise<void> {
    say(`Starting ${names.join(', ')} in Docker ...`);
    try {
      for (const server of await startContainers(names)) {
        this.add(server);
        available.set(server.name, server);
      }
    } catch (error) {
      for (const name of names) missing.set(name, (error as Error).message);
    }
  }

  private async startLocal(
    name: ServiceName,
    { available, missing }: Services,
    say: (line: string) => void,
  ): Promise<void> {
    try {
      available.set(name, await getLocalServer(name, this.folder, (server) => this.add(server), say));
    } catch (error) {
      missing.set(name, (error as Error).message);
      await this.stop(this.state.servers.filter((server) => server.name === name));
    }
  }

  private add(server: StartedServer): void {
    this.state.servers.push(server);
    this.save();
  }

  private async stop(servers: StartedServer[]): Promise<void> {
    const containers = servers.filter(({ folder }) => folder === undefined);
    await Promise.all(servers.map(stopLocalServer));
    if (containers.length > 0) await stopContainers();
    this.state.servers = this.state.servers.filter((server) => !servers.includes(server));
    this.save();
  }

  private save(): void {
    writeState(this.folder, this.state);
  }
}

/** A process may hold the servers several times: for its tests and for the programs that these start. */
function removeOne<Item>(items: Item[], isWanted: (item: Item) => boolean): void {
  const index = items.findIndex(isWanted);
  if (index >= 0) items.splice(index, 1);
}
