import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { startInBackground, untilHealthy } from '../processes/background';
import { findProgram } from '../processes/command';
import { findFreePorts } from '../processes/free-port';
import { installPackage } from './debian';
import { checkHealth } from './health';
import { NotInstalledError } from './not-installed-error';
import type { FindServer, StartServer } from './server-programs';

const DEFAULT_URL = 'redis://127.0.0.1:6379';
const START_LIMIT_MS = 30_000;

/** The server that runs at the default port. */
export const findRedis: FindServer = async () => {
  await checkHealth.redis(DEFAULT_URL);
  return { url: DEFAULT_URL };
};

/** Starts the installed server on a free port, without persistence. */
export const startRedis: StartServer = async (folder, started) => {
  const server = findProgram('redis-server', '/usr/bin/redis-server');
  if (!server) throw new NotInstalledError('Redis is not installed: install redis-server');
  const own = mkdtempSync(path.join(folder, 'redis-'));
  const [port = 0] = await findFreePorts(1);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const logFile = path.join(own, 'output.log');
  const leader = startInBackground([server, ...options], { environment: process.env, folder: own, logFile });
  const url = `redis://127.0.0.1:${port}`;
  started({ name: 'redis', url, processes: [leader], folder: own });
  await untilHealthy(() => checkHealth.redis(url), { leader, logFile }, START_LIMIT_MS);
};

export const installRedis = (): Promise<void> => installPackage('redis-server');
