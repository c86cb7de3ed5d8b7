import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startInBackground, untilHealthy } from '../processes/background';
import { findProgram } from '../processes/command';
import { findFreePorts } from '../processes/free-port';
import type { ProcessIdentity } from '../processes/process-identity';
import { installPackage } from './debian';
import { checkHealth } from './health';
import { NotInstalledError } from './not-installed-error';
import { INSTALLED_RABBITMQCTL, rabbitmqctl, type Rabbitmqctl, RABBITMQCTL_WITHOUT_SPINNING } from './rabbitmqctl';
import type { FindServer, StartServer } from './server-programs';

const DEFAULT_URL = 'amqp://guest:guest@127.0.0.1:5672';
/** The original scripts: those that Debian puts on PATH work for root and one user only, and for one server. */
const SCRIPTS = '/usr/lib/rabbitmq/bin';
const LOOPBACK_ONLY = '-kernel inet_dist_use_interface {127,0,0,1}';
export const RABBITMQ_START_LIMIT_MS = 120_000;

/** The server that runs at the default port, if this user may administer it. */
export const findRabbitmq: FindServer = async () => {
  await checkHealth.rabbitmq(DEFAULT_URL);
  await rabbitmqctl(INSTALLED_RABBITMQCTL, ['list_vhosts']);
  return { url: DEFAULT_URL, rabbitmqctl: INSTALLED_RABBITMQCTL };
};

/** Starts the installed server as a node of its own on free ports. */
export const startRabbitmq: StartServer = async (folder, started) => {
  const { own, processes, logFile, port, ctl } = await launchRabbitmq(folder, []);
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  started({ name: 'rabbitmq', url, processes, folder: own, rabbitmqctl: ctl });
  await untilHealthy(
    () => checkHealth.rabbitmq(url),
    { leader: processes.at(-1) as ProcessIdentity, logFile },
    RABBITMQ_START_LIMIT_MS,
  );
};

export interface LaunchedRabbitmq {
  port: number;
  nodeName: string;
  /** In the order of their start; the server is the last. */
  processes: ProcessIdentity[];
  logFile: string;
  /** The server's folder; its user removes it when the server has ended. */
  own: string;
  ctl: Rabbitmqctl;
}

/** What the nodes of a cluster share. */
export interface ClusterAccess {
  /** The port of the one epmd, by which they find each other. */
  epmdPort: number;
  /** The secret by which they admit each other. */
  cookie: string;
}

/**
 * Starts a server with additional lines of configuration and does not wait until it is ready. Without a cluster it starts an epmd
 * of its own.
 */
export async function launchRabbitmq(
  folder: string,
  settings: string[],
  cluster?: ClusterAccess,
): Promise<LaunchedRabbitmq> {
  const scripts = findScripts();
  const own = mkdtempSync(path.join(folder, 'rabbitmq-'));
  const [port = 0, distributionPort = 0, freePort = 0] = await findFreePorts(3);
  const epmdPort = cluster?.epmdPort ?? freePort;
  const environment = prepareFolder(own, { port, distributionPort, epmdPort }, settings);
  if (cluster) writeFileSync(path.join(own, '.erlang.cookie'), cluster.cookie, { mode: 0o400 });
  const logFile = path.join(own, 'output.log');
  const epmd = cluster ? [] : [startEpmd(own, epmdPort)];
  const background = { environment: { PATH: process.env['PATH'], ...environment }, folder: own, logFile };
  const leader = startInBackground([scripts.server], background);
  const nodeName = environment['RABBITMQ_NODENAME'] ?? '';
  return { port, nodeName, processes: [...epmd, leader], logFile, own, ctl: { command: [scripts.ctl], environment } };
}

/** Starts the name service of Erlang nodes; otherwise the first server starts it as a daemon that outlives it. */
export function startEpmd(folder: string, port: number): ProcessIdentity {
  return startInBackground([findScripts().epmd, '-port', String(port)], {
    environment: { PATH: process.env['PATH'], ERL_EPMD_PORT: String(port), ERL_EPMD_ADDRESS: '127.0.0.1' },
    folder,
    logFile: path.join(folder, 'epmd.log'),
  });
}

export const installRabbitmq = (): Promise<void> => installPackage('rabbitmq-server');

function findScripts(): { server: string; ctl: string; epmd: string } {
  const server = findProgram(`${SCRIPTS}/rabbitmq-server`, 'rabbitmq-server');
  const ctl = findProgram(`${SCRIPTS}/rabbitmqctl`, 'rabbitmqctl');
  const epmd = findProgram('epmd', '/usr/bin/epmd');
  if (!server || !ctl || !epmd) throw new NotInstalledError('RabbitMQ is not installed: install rabbitmq-server');
  return { server, ctl, epmd };
}

/** The environment that the server and rabbitmqctl share. The Erlang cookie is in the home folder. */
function prepareFolder(
  own: string,
  ports: { port: number; distributionPort: number; epmdPort: number },
  settings: string[],
): Record<string, string> {
  const lines = [`listeners.tcp.local = 127.0.0.1:${ports.port}`, ...settings];
  const file = (name: string, content: string): string => {
    writeFileSync(path.join(own, name), content);
    return path.join(own, name);
  };
  return {
    ...RABBITMQCTL_WITHOUT_SPINNING,
    HOME: own,
    RABBITMQ_NODENAME: `${path.basename(own).toLowerCase()}@localhost`,
    RABBITMQ_DIST_PORT: String(ports.distributionPort),
    RABBITMQ_MNESIA_BASE: path.join(own, 'data'),
    RABBITMQ_LOG_BASE: path.join(own, 'log'),
    RABBITMQ_PID_FILE: path.join(own, 'pid'),
    RABBITMQ_CONFIG_FILE: file('rabbitmq.conf', `${lines.join('\n')}\n`),
    RABBITMQ_ADVANCED_CONFIG_FILE: file('advanced.config', '[].\n'),
    RABBITMQ_CONF_ENV_FILE: file('rabbitmq-env.conf', ''),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins', '[].\n'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: LOOPBACK_ONLY,
    ERL_EPMD_PORT: String(ports.epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  };
}
