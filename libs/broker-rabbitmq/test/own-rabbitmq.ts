import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connect } from 'amqplib';
import { findFreePorts, RABBITMQCTL_WITHOUT_SPINNING } from '@antelope-history/servers';
import type { RabbitmqOptions } from '../src';

/** The start scripts on Debian's path only work for root and the rabbitmq user, and for one server. */
const SCRIPTS = '/usr/lib/rabbitmq/bin';
const START_LIMIT_MS = 180_000;
const CONNECT_LIMIT_MS = 5_000;
const IMPORT_LIMIT_MS = 60_000;

/** A RabbitMQ server on ports of its own, to be killed and administered. It keeps its data when it restarts. */
export class OwnRabbitmq {
  private readonly processes: ChildProcess[] = [];

  private constructor(
    readonly port: number,
    readonly tlsPort: number,
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** `settings` are lines of its configuration file, in which `TLS_PORT` is replaced by a free port. */
  static async start(...settings: string[]): Promise<OwnRabbitmq> {
    const [port = 0, tlsPort = 0, distributionPort = 0, epmdPort = 0] = await findFreePorts(4);
    const folder = mkdtempSync(path.join(tmpdir(), 'history-rabbitmq-'));
    const file = (name: string, content: string): string => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const lines = [`listeners.tcp.local = 127.0.0.1:${port}`, ...settings]
      .join('\n')
      .replace('TLS_PORT', String(tlsPort));
    const rabbitmq = new OwnRabbitmq(port, tlsPort, folder, {
      ...RABBITMQCTL_WITHOUT_SPINNING,
      PATH: `${SCRIPTS}:${process.env['PATH'] ?? ''}`,
      // The folder of the Erlang cookie.
      HOME: folder,
      RABBITMQ_NODENAME: `${path.basename(folder).toLowerCase()}@localhost`,
      RABBITMQ_DIST_PORT: String(distributionPort),
      RABBITMQ_MNESIA_BASE: path.join(folder, 'data'),
      RABBITMQ_LOG_BASE: path.join(folder, 'log'),
      RABBITMQ_PID_FILE: path.join(folder, 'pid'),
      RABBITMQ_CONFIG_FILE: file('rabbitmq.conf', `${lines}\n`),
      RABBITMQ_CONF_ENV_FILE: file('rabbitmq-env.conf', ''),
      RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins', '[].\n'),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      ERL_EPMD_PORT: String(epmdPort),
      ERL_EPMD_ADDRESS: '127.0.0.1',
    });
    // Otherwise the server starts it as a daemon, which would outlive the tests.
    rabbitmq.spawn('epmd', ['-port', String(epmdPort)]);
    await rabbitmq.restart();
    return rabbitmq;
  }

  /** The access of the default user to the default virtual host. */
  get options(): RabbitmqOptions {
    const splitBytes = 1024 * 1024;
    return { url: `amqp://127.0.0.1:${this.port}`, vhost: '/', username: 'guest', password: 'guest', splitBytes };
  }

  /** Starts the server; resolves when it accepts connections. */
  async restart(): Promise<void> {
    const server = this.spawn('rabbitmq-server', []);
    for (const limit = Date.now() + START_LIMIT_MS; ;) {
      if (server.exitCode !== null || Date.now() > limit)
        throw new Error(`RabbitMQ does not start: see ${this.folder}`);
      try {
        await this.connectOnce();
        return;
      } catch {
        await sleep(100);
      }
    }
  }

  /** A server that is still starting may accept a connection and never respond on it. */
  private async connectOnce(): Promise<void> {
    const connection = await connect(`amqp://guest:guest@127.0.0.1:${this.port}`, { timeout: CONNECT_LIMIT_MS });
    await connection.close();
  }

  /** Kills the server without a shutdown. */
  async kill(): Promise<void> {
    const server = this.processes.pop();
    if (server) await end(server);
  }

  /**
   * Resolves when the definitions of all queues are on the disk. RabbitMQ keeps them in Mnesia, which writes its log later: a
   * queue that was declared shortly before the server is killed can be gone, with its confirmed messages
   * (github.com/erlang/otp/issues/3975). The names of the members of quorum queues are in a table of their own (ra_directory.erl),
   * which is saved later, too: a queue whose member is forgotten never has a leader.
   */
  async writeDefinitions(): Promise<void> {
    await this.command('eval', 'mnesia:dump_log(), [ok = dets:sync(Table) || Table <- dets:all()].');
  }

  async command(...args: string[]): Promise<string> {
    return await this.commandWith('', '-q', ...args);
  }

  /** Runs rabbitmqctl with `input` as its standard input; gives its output. */
  async commandWith(input: string, ...args: string[]): Promise<string> {
    const running = promisify(execFile)('rabbitmqctl', args, { env: this.environment });
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  /** Imports definitions with one user. RabbitMQ 4 imports them after the command has returned, so this waits for the user. */
  async importDefinitions(definitions: { users: { name: string }[] }): Promise<void> {
    const file = path.join(this.folder, 'definitions.json');
    writeFileSync(file, JSON.stringify(definitions));
    await this.command('import_definitions', file);
    const limit = Date.now() + IMPORT_LIMIT_MS;
    const permissions = (): Promise<string> => this.command('list_user_permissions', definitions.users[0]?.name ?? '');
    while (
      await permissions().then(
        () => false,
        () => true,
      )
    ) {
      if (Date.now() > limit) throw new Error('RabbitMQ does not import the definitions');
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.processes.splice(0).map(end));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(program: string, args: string[]): ChildProcess {
    const child = spawn(program, args, { env: this.environment, cwd: this.folder, stdio: 'ignore', detached: true });
    child.on('error', () => undefined);
    this.processes.push(child);
    return child;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The process group has ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  await ended;
}
