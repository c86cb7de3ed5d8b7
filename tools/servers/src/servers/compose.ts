import path from 'node:path';
import { findProgram, runCommand } from '../processes/command';
import type { ServiceName } from '../service-name';
import type { StartedServer } from '../state';

const FILE = path.resolve(__dirname, '../../../../deploy/compose.services.yaml');
const COMPOSE = ['docker', 'compose', '-p', 'antelope-history-services', '-f', FILE];

const ASK_LIMIT_MS = 15_000;
/** Long enough to pull the images. */
const UP_LIMIT_MS = 900_000;
const DOWN_LIMIT_MS = 120_000;

/** The port inside the container, and the URL of the address that Docker publishes. */
const ADDRESSES: Record<ServiceName, { port: string; url: (address: string) => string }> = {
  elasticsearch: { port: '9200', url: (address) => `http://${address}` },
  rabbitmq: { port: '5672', url: (address) => `amqp://guest:guest@${address}` },
  redis: { port: '6379', url: (address) => `redis://${address}` },
};

/** Whether the Docker engine runs; an installed client is not enough. */
export async function isDockerRunning(): Promise<boolean> {
  if (!findProgram('docker')) return false;
  try {
    await runCommand(['docker', 'info'], { limitMs: ASK_LIMIT_MS });
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the servers are healthy. */
export async function startContainers(names: ServiceName[]): Promise<StartedServer[]> {
  await runCommand([...COMPOSE, 'up', '--detach', '--wait', ...names], { limitMs: UP_LIMIT_MS });
  return Promise.all(names.map(describeContainer));
}

export async function stopContainers(): Promise<void> {
  await runCommand([...COMPOSE, 'down', '--volumes'], { limitMs: DOWN_LIMIT_MS });
}

async function describeContainer(name: ServiceName): Promise<StartedServer> {
  const { port, url } = ADDRESSES[name];
  const address = (await runCommand([...COMPOSE, 'port', name, port], { limitMs: ASK_LIMIT_MS })).trim();
  const server = { name, url: url(address), processes: [] };
  if (name !== 'rabbitmq') return server;
  return {
    ...server,
    rabbitmqctl: { command: [...COMPOSE, 'exec', '-T', 'rabbitmq', 'rabbitmqctl'], environment: {} },
  };
}
