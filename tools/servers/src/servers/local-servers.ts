import { rmSync } from 'node:fs';
import { stopGroup } from '../processes/background';
import type { ServiceName } from '../service-name';
import type { StartedServer } from '../state';
import { startElasticsearch } from './elasticsearch';
import { NotInstalledError } from './not-installed-error';
import { findRabbitmq, installRabbitmq, startRabbitmq } from './rabbitmq';
import { findRedis, installRedis, startRedis } from './redis';
import type { FindServer, Service, StartServer } from './server-programs';

interface LocalServer {
  start: StartServer;
  /** Absent for Elasticsearch: a server at its default port may hold a user's own indices. */
  find?: FindServer;
  install?: () => Promise<void>;
}

const LOCAL_SERVERS: Record<ServiceName, LocalServer> = {
  elasticsearch: { start: startElasticsearch },
  rabbitmq: { start: startRabbitmq, find: findRabbitmq, install: installRabbitmq },
  redis: { start: startRedis, find: findRedis, install: installRedis },
};

/**
 * A server of this machine: the one that runs at the default port, else a new process of the installed program, which is
 * installed when it is missing. Rejects with the name of what is missing.
 */
export async function getLocalServer(
  name: ServiceName,
  folder: string,
  started: (server: StartedServer) => void,
  say: (line: string) => void,
): Promise<Service> {
  const { find, start, install } = LOCAL_SERVERS[name];
  const startOwn = async (): Promise<Service> => {
    say(`Starting ${name} ...`);
    let own: StartedServer | undefined;
    await start(folder, (server) => started((own = server)));
    if (!own) throw new Error(`${name} was not started`);
    return own;
  };
  const running = await find?.().catch(() => undefined);
  if (running) return running;
  try {
    return await startOwn();
  } catch (error) {
    if (!install || !(error instanceof NotInstalledError)) throw error;
    say(`Installing ${name} ...`);
    await install();
    // Installing the package may have started the server.
    return (await find?.().catch(() => undefined)) ?? (await startOwn());
  }
}

export async function stopLocalServer({ processes, folder }: StartedServer): Promise<void> {
  for (const leader of [...processes].reverse()) await stopGroup(leader);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
