import { rmSync } from 'node:fs';
import { stopGroup, untilHealthy } from './background';
import { findFreePorts } from './free-port';
import { checkHealth } from './health';
import type { ProcessIdentity } from './process-identity';
import { launchRabbitmq, RABBITMQ_START_LIMIT_MS } from './rabbitmq';
import type { SecuredServer, ServerFiles } from './secured-server';
import { servicesFolder } from './state';
import { addVhost } from './vhost';

export interface SecuredRabbitmqOptions {
  certificate: ServerFiles;
  /** Who may do everything in the virtual host of that name, and nothing elsewhere. */
  user: { name: string; password: string; vhost: string };
}

/** Starts RabbitMQ with TLS on a free port, for one test: `amqps://127.0.0.1:…`. Needs it to be installed. */
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
