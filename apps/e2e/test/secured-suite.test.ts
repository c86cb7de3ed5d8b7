import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkConfig } from '@antelope-history/cli/check-config';
import { openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import {
  describeWithPrograms,
  startSecuredElasticsearch,
  startSecuredRabbitmq,
  startSecuredRedis,
} from '@antelope-history/servers';
import { type AppName, type Suite, startReplay, startSuite, stop } from '@antelope-history/processes';
import { makeCertificates, makePassword, shownIn, startTlsFront } from '@antelope-history/test-support/tls';

jest.setTimeout(600_000);

const WORKSPACE = path.resolve(__dirname, '../../..');
const USER = 'history';
const SAMPLE = 'leap-forks';

/** The servers that each app connects to. */
const SERVERS_OF: Record<AppName | 'standalone', Server[]> = {
  reader: ['ship', 'rabbitmq', 'redis'],
  deserializer: ['rabbitmq', 'redis'],
  indexer: ['elasticsearch', 'rabbitmq', 'redis'],
  'history-api': ['elasticsearch', 'redis'],
  'chain-api': ['elasticsearch', 'redis'],
  'trace-api': ['elasticsearch', 'redis'],
  gateway: ['redis'],
  standalone: ['ship', 'elasticsearch', 'rabbitmq', 'redis'],
};
type Server = 'ship' | 'elasticsearch' | 'rabbitmq' | 'redis';
/** Excludes SHiP: an app continues when a node refuses its password (libs/reader-stage/test/ship-access.test.ts). */
const CASES = Object.entries(SERVERS_OF).flatMap(([app, servers]) =>
  servers.filter((server) => server !== 'ship').map((server) => ({ app, server })),
);

describeWithPrograms(['java', 'mvn', 'redis-server', 'rabbitmqctl'], () => {
  describe('the suite on servers with passwords and TLS', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'history-secured-'));
    const passwords: Record<Server, string> = {
      ship: makePassword(),
      elasticsearch: makePassword(),
      rabbitmq: makePassword(),
      redis: makePassword(),
    };
    const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
    let urls: Record<Server, string>;
    let caFile: string;
    let suite: Suite;
    let shipUrl: string;

    /** The password of Redis comes from a file, the others from the environment. */
    function environmentOf(given = passwords): Record<string, string> {
      const file = path.join(mkdtempSync(path.join(folder, 'password-')), 'redis');
      writeFileSync(file, `${given.redis}\n`, { mode: 0o600 });
      return {
        HISTORY_LOG_LEVEL: 'trace',
        HISTORY_SHIP__URLS: shipUrlWith(given.ship),
        HISTORY_SHIP__CA_FILE: caFile,
        HISTORY_STORE__KIND: 'elasticsearch',
        HISTORY_STORE__ELASTICSEARCH__URLS: urls.elasticsearch,
        HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: 'history',
        HISTORY_STORE__ELASTICSEARCH__REPLICAS: '0',
        HISTORY_STORE__ELASTICSEARCH__USERNAME: USER,
        HISTORY_STORE__ELASTICSEARCH__PASSWORD: given.elasticsearch,
        HISTORY_STORE__ELASTICSEARCH__CA_FILE: caFile,
        HISTORY_BROKER__KIND: 'rabbitmq',
        HISTORY_BROKER__RABBITMQ__URL: urls.rabbitmq,
        HISTORY_BROKER__RABBITMQ__VHOST: 'history',
        HISTORY_BROKER__RABBITMQ__USERNAME: USER,
        HISTORY_BROKER__RABBITMQ__PASSWORD: given.rabbitmq,
        HISTORY_BROKER__RABBITMQ__CA_FILE: caFile,
        HISTORY_KEY_VALUE__KIND: 'redis',
        HISTORY_KEY_VALUE__REDIS__URL: urls.redis,
        HISTORY_KEY_VALUE__REDIS__KEY_PREFIX: 'history',
        HISTORY_KEY_VALUE__REDIS__USERNAME: USER,
        HISTORY_KEY_VALUE__REDIS__PASSWORD_FILE: file,
        HISTORY_KEY_VALUE__REDIS__CA_FILE: caFile,
      };
    }
    const shipUrlWith = (password: string): string =>
      urls.ship.replace('//', `//${USER}:${encodeURIComponent(password)}@`);

    const secretsIn = (text: string, more: string[] = []): string[] =>
      shownIn(text, USER, [...Object.values(passwords), ...more]);

    beforeAll(async () => {
      const certificates = await makeCertificates();
      caFile = certificates.ca;
      closers.push(certificates.remove);
      const certificate = { ...certificates.valid, ca: certificates.ca };
      const deployed = (file: string): string => readFileSync(path.join(WORKSPACE, 'deploy', file), 'utf8');
      const rules = /^user history on >\S+ (.*)$/m.exec(deployed('redis/users.acl'))?.[1] ?? '';
      const role = JSON.parse(deployed('elasticsearch/history-writer-role.json')) as object;
      const replay = await startReplay(sampleFolder(SAMPLE));
      closers.push(() => stop(replay.child));
      const front = await startTlsFront(
        Number(new URL(replay.url).port),
        certificates.valid,
        `${USER}:${passwords.ship}`,
      );
      closers.push(() => front.close());
      const [elasticsearch, rabbitmq, redis] = await Promise.all([
        startSecuredElasticsearch({
          certificate,
          roles: { history_writer: role },
          users: [{ name: USER, password: passwords.elasticsearch, role: 'history_writer' }],
        }),
        startSecuredRabbitmq({ certificate, user: { name: USER, password: passwords.rabbitmq, vhost: 'history' } }),
        startSecuredRedis({ certificate, user: { name: USER, password: passwords.redis, rules } }),
      ]);
      closers.push(elasticsearch.stop, rabbitmq.stop, redis.stop);
      urls = {
        ship: `wss://127.0.0.1:${front.port}`,
        elasticsearch: elasticsearch.url,
        rabbitmq: rabbitmq.url,
        redis: redis.url,
      };
      shipUrl = shipUrlWith(passwords.ship);
    });
    afterAll(async () => {
      for (const close of closers.reverse()) await close();
    });

    it('passes check-config, which prints no password', async () => {
      const lines: string[] = [];
      const print = (line: string): void => void lines.push(line);
      const environment = { ...environmentOf(), HISTORY_GATEWAY__PORT: '0' };
      await checkConfig({ args: [], environment, print, now: Date.now });
      expect(lines.filter((line) => !/^(ok|look at) /.test(line)).slice(0, -1)).toEqual([]);
      expect(lines.length).toBeGreaterThan(30);
      expect(secretsIn(lines.join('\n'))).toEqual([]);
    });

    it('indexes a chain and reveals no password in logs, pages, responses and process titles', async () => {
      const logFolder = path.join(folder, 'logs');
      suite = await startSuite({ shipUrl, environment: environmentOf(), logFolder });
      const { thisBlock } = openSample(SAMPLE).messages.at(-1) ?? {};
      let shown = '';
      try {
        await suite.untilCommitted(thisBlock ?? { num: 0, id: '' });
        const pages = ['/', '/health', '/live', '/metrics', '/docs', '/openapi.json', '/nowhere'];
        for (const { app, operationsUrl, pid } of suite.apps) {
          for (const page of pages) shown += await (await fetch(`${operationsUrl}${page}`)).text();
          if (app === 'gateway') for (const page of pages) shown += await (await fetch(`${suite.url}${page}`)).text();
          shown += titleOf(pid);
        }
      } finally {
        await suite.stop();
      }
      const logs = readdirSync(logFolder).map((file) => readFileSync(path.join(logFolder, file), 'utf8'));
      expect(logs).toHaveLength(7);
      expect(shown).toContain('apps/indexer/dist/main.js');
      // The gateway limits the connections of its clients.
      expect(shown).toContain('history_gateway_connections_refused_total{reason="client"} 0');
      expect(logs.join('\n')).toContain('reading state history');
      expect(secretsIn(shown)).toEqual([]);
      expect(secretsIn(logs.join('\n'))).toEqual([]);
    });

    it.each(CASES)('ends $app when $server refuses its password, and prints no password', async ({ app, server }) => {
      const wrong = makePassword();
      const { output, status } = await runToEnd(app, environmentOf({ ...passwords, [server]: wrong }));
      const last = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { level: number; code?: string });
      expect([status, last.find(({ level }) => level === 60)?.code]).toEqual([1, 'ACCESS_REFUSED']);
      expect(secretsIn(output, [wrong])).toEqual([]);
    });
  });
});

/** The command line of a process, as a process list shows it. */
function titleOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  if (existsSync(file)) return readFileSync(file, 'utf8');
  return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}

const END_LIMIT_MS = 60_000;

/** Runs an app that is expected to end without a signal; resolves with its output and exit status. */
async function runToEnd(app: string, environment: Record<string, string>) {
  const ports = Object.fromEntries(
    ['GATEWAY__PORT', 'HISTORY_API__PORT', 'CHAIN_API__PORT', 'TRACE_API__PORT'].map((key) => [`HISTORY_${key}`, '0']),
  );
  const child = spawn(process.execPath, [path.join(WORKSPACE, `apps/${app}/dist/main.js`)], {
    env: { PATH: process.env['PATH'], ...environment, ...ports },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: END_LIMIT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { output, status };
}
