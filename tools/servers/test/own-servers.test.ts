import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkHealth } from '../src/servers/health';
import { stopLocalServer } from '../src/servers/local-servers';
import { NotInstalledError } from '../src/servers/not-installed-error';
import { isRunning } from '../src/processes/process-identity';
import { startRabbitmq } from '../src/servers/rabbitmq';
import { rabbitmqctl } from '../src/servers/rabbitmqctl';
import { startRedis } from '../src/servers/redis';
import type { StartServer } from '../src/servers/server-programs';
import type { StartedServer } from '../src/state';

/** Elasticsearch of our own is what all other tests run on. */
describe('a server of our own', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-servers-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Undefined where the server is not installed, which it has to say. */
  async function start(startServer: StartServer): Promise<StartedServer | undefined> {
    let server: StartedServer | undefined;
    try {
      await startServer(folder, (started) => (server = started));
    } catch (error) {
      if (error instanceof NotInstalledError) expect(error.message).toMatch(/install (rabbitmq|redis)-server/);
      else throw error;
    }
    return server;
  }

  it.each([
    ['rabbitmq', startRabbitmq],
    ['redis', startRedis],
  ] as const)(
    '%s starts beside others and leaves nothing behind',
    async (name, startServer) => {
      const first = await start(startServer);
      if (!first) return;
      const second = (await start(startServer)) as StartedServer;
      try {
        expect(first.url).not.toBe(second.url);
        for (const { url } of [first, second]) await checkHealth[name](url);
        if (first.rabbitmqctl) expect(await rabbitmqctl(first.rabbitmqctl, ['list_vhosts'])).toBe('name\n/\n');
        await stopLocalServer(first);
        await expect(checkHealth[name](first.url)).rejects.toThrow();
        await checkHealth[name](second.url);
      } finally {
        await Promise.all([first, second].map(stopLocalServer));
      }
      for (const { processes, folder: own = '' } of [first, second]) {
        expect(processes.filter(isRunning)).toEqual([]);
        expect(existsSync(own)).toBe(false);
      }
      expect(readdirSync(folder)).toEqual([]);
    },
    120_000,
  );
});
