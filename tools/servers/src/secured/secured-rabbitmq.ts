import { rmSync } from 'node:fs';
import { addVhost } from '../contents/vhost';
import { stopGroup, untilHealthy } from '../processes/background';
import { findFreePorts } from '../processes/free-port';
import type { ProcessIdentity } from '../processes/process-identity';
import { checkHealth } from '../servers/health';
import { launchRabbitmq, RABBITMQ_START_LIMIT_MS } from '../servers/rabbitmq';
import { servicesFolder } from '../state';
import type { SecuredServer, ServerFiles } from './secured-server';

export interface SecuredRabbitmqOptions {
  certificate: ServerFiles;
  /** Has all permissions in this virtual host, and none in others. */
  user: { name: string; password: string; vhost: string };
}

/** Starts RabbitMQ with TLS on a free port, for one test: `amqps://127.0.0.1:…`. RabbitMQ must be installed. */
export async function startSecuredRabbitmq({ certificate, user }: SecuredRabbitmqOptions): Promise<SecuredServer> {
  const [tlsPort = 0] = await findFreePorts(1);
  const { port, processes, logFile, own, ctl } = await launchRabbitmq(servicesFolder(), [
    `listeners.ssl.local = 127.0.0.1:${tlsPort}`,
    `ssl_options.cacertfile = ${certificate.ca}`,
    `ssl_options.certfile = ${certificate.cert}`,
    `ssl_options.keyfile = ${certificate.key}`,
  ]);
  const stop = async (): Promise<void> => {
    for (const leader of [...processes].reverse()) await stopGroup(leader);
    rmSync(own, { recursive: true, force: true });
  };
  try {
    const watched = { leader: processes.at(-1) as ProcessIdentity, logFile };
    const plain = `amqp://guest:guest@127.0.0.1:${port}`;
    await untilHealthy(() => checkHealth.rabbitmq(plain), watched, RABBITMQ_START_LIMIT_MS);
    await addVhost(ctl, { vhost: user.vhost, user: user.name, password: user.password });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `amqps://127.0.0.1:${tlsPort}`, stop };
}
