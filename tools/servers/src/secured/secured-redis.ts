import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { startInBackground, stopGroup, untilHealthy } from '../processes/background';
import { findProgram } from '../processes/command';
import { findFreePorts } from '../processes/free-port';
import { NotInstalledError } from '../servers/not-installed-error';
import { servicesFolder } from '../state';
import type { SecuredServer, ServerFiles } from './secured-server';

export interface SecuredRedisOptions {
  certificate: ServerFiles;
  /** The only user; `rules` are those of Redis' access control lists. */
  user: { name: string; password: string; rules: string };
}

const START_LIMIT_MS = 30_000;

/** Starts Redis with TLS alone on a free port, for one test: `rediss://127.0.0.1:…`. Redis must be installed. */
export async function startSecuredRedis({ certificate, user }: SecuredRedisOptions): Promise<SecuredServer> {
  const server = findProgram('redis-server', '/usr/bin/redis-server');
  if (!server) throw new NotInstalledError('Redis is not installed: install redis-server');
  const own = mkdtempSync(path.join(servicesFolder(), 'redis-'));
  const [port = 0] = await findFreePorts(1);
  const password = createHash('sha256').update(user.password).digest('hex');
  const access = `user ${user.name} on #${password} ${user.rules}`;
  const settings = {
    port: '0',
    bind: '127.0.0.1',
    save: '""',
    'tls-port': String(port),
    'tls-ca-cert-file': certificate.ca,
    'tls-cert-file': certificate.cert,
    'tls-key-file': certificate.key,
    'tls-auth-clients': 'no',
    user: 'default off',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(path.join(own, 'redis.conf'), `${lines.join('')}${access}\n`);
  const logFile = path.join(own, 'output.log');
  const command = [server, path.join(own, 'redis.conf')];
  const leader = startInBackground(command, { environment: process.env, folder: own, logFile });
  const stop = async (): Promise<void> => {
    await stopGroup(leader);
    rmSync(own, { recursive: true, force: true });
  };
  try {
    const ca = readFileSync(certificate.ca);
    await untilHealthy(() => untilConnected(port, ca), { leader, logFile }, START_LIMIT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `rediss://127.0.0.1:${port}`, stop };
}

function untilConnected(port: number, ca: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca }, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}
