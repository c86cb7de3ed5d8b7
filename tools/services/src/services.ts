import { withLock } from './processes/lock';
import { isRunning, type ProcessIdentity } from './processes/process-identity';
import { isDockerRunning, startContainers, stopContainers } from './servers/compose';
import { checkHealth } from './servers/health';
import { getLocalServer, stopLocalServer } from './servers/local-servers';
import { findRabbitmqctl } from './servers/rabbitmqctl';
import type { Service } from './servers/server-programs';
import { type ServiceName, URL_VARIABLES } from './service-name';
import { readState, servicesFolder, type StartedServer, type State, writeState } from './state';

/** More than any start takes. */
const LOCK_LIMIT_MS = 1_200_000;

/** What there is now; why not, of each that is missing. */
export interface Services {
  available: Map<ServiceName, Service>;
  missing: Map<ServiceName, string>;
}

/** For whom the servers run: a process, until it ends or lets go; or until somebody stops them. */
export type Holder = ProcessIdentity | 'everybody';

/**
 * Brings up the servers of `names` that are not there yet and waits until they are healthy. Those that the environment names are
 * used; of the others those that were started here before, containers where Docker runs, servers of this machine else.
 */
export async function holdServices(
  names: readonly ServiceName[],
  holder: Holder,
  say: (line: string) => void,
): Promise<Services> {
  const folder = servicesFolder();
  return withLock(folder, LOCK_LIMIT_MS, async () => {
    const running = new RunningServers(folder);
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

/** Ends what was started here when nobody else needs it. */
export async function releaseServices(holder: ProcessIdentity): Promise<void> {
  const folder = servicesFolder();
  await withLock(folder, LOCK_LIMIT_MS, () => new RunningServers(folder).release(holder));
}

/** Ends what was started here, or, while processes need it, lets the last of them do so. Gives the ids of those. */
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

/** What was started here, as it is written down; only for who has the lock. */
class RunningServers {
  private readonly state: State;

  constructor(private readonly folder: string) {
    this.state = readState(folder);
    this.state.holders = this.state.holders.filter(isRunning);
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

  /** Takes a server that was started before, or clears away what is left of it. */
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

/** A process may hold them several times: for its tests, and for what these start. */
function removeOne<Item>(items: Item[], isWanted: (item: Item) => boolean): void {
  const index = items.findIndex(isWanted);
  if (index >= 0) items.splice(index, 1);
}
