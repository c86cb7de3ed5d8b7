import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopGroup, untilHealthy } from '../processes/background';
import { findFreePorts } from '../processes/free-port';
import { isRunning, type ProcessIdentity } from '../processes/process-identity';
import { checkHealth } from '../servers/health';
import { launchRabbitmq, RABBITMQ_START_LIMIT_MS, startEpmd, type LaunchedRabbitmq } from '../servers/rabbitmq';
import { rabbitmqctl } from '../servers/rabbitmqctl';
import { servicesFolder } from '../state';
import { type Cluster, type ClusterNode, REMOVAL, startNodes } from './cluster';

export interface RabbitmqNode extends ClusterNode {
  /** The name by which the other nodes know it: `rabbitmq-x@localhost`. */
  name: string;
  /** False when it was lost. */
  readonly isUp: boolean;
  /** Runs a command of `rabbitmqctl`, or of `rabbitmq-queues`, on the node; gives its output. */
  command(program: 'rabbitmqctl' | 'rabbitmq-queues', ...args: string[]): Promise<string>;
}

export interface RabbitmqCluster extends Cluster<RabbitmqNode> {
  /** The only user. */
  user: { vhost: string; username: string; password: string };
}

const JOIN_POLL_MS = 500;

/** Starts the nodes of a RabbitMQ cluster on free ports. RabbitMQ must be installed. */
export async function startRabbitmqCluster(count: number): Promise<RabbitmqCluster> {
  const [epmdPort = 0] = await findFreePorts(1);
  const cookie = randomBytes(20).toString('hex').toUpperCase();
  const folder = mkdtempSync(path.join(servicesFolder(), 'rabbitmq-cluster-'));
  const epmd = startEpmd(folder, epmdPort);
  const nodes: StartedNode[] = [];
  const user = { vhost: 'history', username: 'history', password: randomBytes(12).toString('hex') };
  const add = async (): Promise<StartedNode> => {
    const known = nodes.find(({ isUp }) => isUp);
    const node = new StartedNode(
      await launchRabbitmq(folder, known ? joining(known) : creating(user), { epmdPort, cookie }),
    );
    nodes.push(node);
    await node.untilUp(user);
    if (known) await node.untilKnownTo(known);
    return node;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.lose()));
    await stopGroup(epmd);
    rmSync(folder, REMOVAL);
  };
  return startNodes({ nodes, user, add, stop }, count);
}

type User = RabbitmqCluster['user'];

/** The first node makes the cluster, with one user. */
function creating({ vhost, username, password }: User): string[] {
  return [`default_vhost = ${vhost}`, `default_user = ${username}`, `default_pass = ${password}`];
}

/** An empty node joins the node that its configuration names when it starts. */
function joining({ name }: StartedNode): string[] {
  return [
    'cluster_formation.peer_discovery_backend = classic_config',
    `cluster_formation.classic_config.nodes.1 = ${name}`,
  ];
}

class StartedNode implements RabbitmqNode {
  readonly url: string;
  readonly name: string;
  private readonly server: ProcessIdentity;

  constructor(readonly launched: LaunchedRabbitmq) {
    this.url = `amqp://127.0.0.1:${launched.port}`;
    this.name = launched.nodeName;
    this.server = launched.processes.at(-1) as ProcessIdentity;
  }

  get isUp(): boolean {
    return isRunning(this.server);
  }

  async untilUp({ vhost, username, password }: User): Promise<void> {
    const { port, logFile } = this.launched;
    const url = `amqp://${username}:${password}@127.0.0.1:${port}/${vhost}`;
    const check = (): Promise<void> => checkHealth.rabbitmq(url);
    await untilHealthy(check, { leader: this.server, logFile }, RABBITMQ_START_LIMIT_MS);
  }

  async untilKnownTo(other: StartedNode): Promise<void> {
    for (const limit = Date.now() + RABBITMQ_START_LIMIT_MS; Date.now() < limit;) {
      const status = await other.command('rabbitmqctl', 'cluster_status', '--formatter', 'json');
      const { running_nodes: running } = JSON.parse(status) as { running_nodes: string[] };
      if (running.includes(this.name)) return;
      await sleep(JOIN_POLL_MS);
    }
    throw new Error(`${this.name} does not join ${other.name}`);
  }

  command(program: 'rabbitmqctl' | 'rabbitmq-queues', ...args: string[]): Promise<string> {
    const { command, environment } = this.launched.ctl;
    const programs = command.map((part) => part.replace(/rabbitmqctl$/, program));
    return rabbitmqctl({ command: programs, environment }, args);
  }

  async lose(): Promise<void> {
    await stopGroup(this.server, 'SIGKILL');
    rmSync(this.launched.own, REMOVAL);
  }
}
