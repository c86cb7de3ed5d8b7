import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '@antelope-history/app-runtime';
import { provideCurl } from '@antelope-history/servers';
import { readJson, readText, readYaml, WORKSPACE_ROOT } from '../../src';

const defaults = loadConfig({});

/** The `key value` or `key = value` lines, without comments. */
function readSettings(file: string, separator: RegExp): Map<string, string> {
  const lines = readText(file)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [key = '', ...value] = line.split(separator);
      return [key, value.join(' ')];
    }),
  );
}

describe('deploy/rabbitmq', () => {
  const settings = readSettings('deploy/rabbitmq/rabbitmq.conf', / = /);

  it('accepts messages of the size that the service sends', () => {
    expect(Number(settings.get('max_message_size'))).toBeGreaterThan(defaults.broker.rabbitmq.splitBytes);
  });

  it('blocks publishers before memory or disk are full', () => {
    expect(Number(settings.get('vm_memory_high_watermark.relative'))).toBeLessThan(0.8);
    expect(settings.get('disk_free_limit.absolute')).toMatch(/^\d+GB$/);
  });

  it('creates the virtual host and the user of the defaults', () => {
    const { vhost, username } = defaults.broker.rabbitmq;
    const setUp = readText('deploy/rabbitmq/set-up.sh');
    expect(setUp).toContain(`vhost=\${2:-${vhost}}`);
    expect(setUp).toContain(`user=\${3:-${username}}`);
    const start = readText('deploy/rabbitmq/start.sh');
    expect(start).toContain(`RABBITMQ_DEFAULT_USER=${username} RABBITMQ_DEFAULT_VHOST=${vhost}`);
  });
});

describe('deploy/redis', () => {
  it('evicts the least recently used keys and persists nothing', () => {
    const settings = readSettings('deploy/redis/redis.conf', / /);
    expect([settings.get('maxmemory-policy'), settings.get('save'), settings.get('appendonly')]).toEqual([
      'allkeys-lru',
      '""',
      'no',
    ]);
  });

  it('grants one user access to its own keys', () => {
    const { keyPrefix } = defaults.keyValue.redis;
    const acl = readText('deploy/redis/users.acl');
    expect(acl).toContain('user default off\n');
    expect(acl).toMatch(new RegExp(`^user history on >CHANGE_ME ~${keyPrefix}:\\* resetchannels -@all `, 'm'));
  });

  it('starts in a container with the password of a file, with any characters, and does not reveal it', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-redis-'));
    const password = 'a/b&c\\1 "d"';
    writeFileSync(path.join(folder, 'password'), `${password}\n`);
    // A fake server that prints its standard input.
    writeFileSync(path.join(folder, 'redis-server'), '#!/bin/sh\ncat\n', { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const script = path.join(WORKSPACE_ROOT, 'deploy/redis/start.sh');
    const { stdout } = spawnSync('sh', [script, path.join(folder, 'password')], { env, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stdout).toContain(`user history on #${createHash('sha256').update(password).digest('hex')} ~`);
    expect(stdout).toContain('maxmemory-policy allkeys-lru\n');
  });
});

describe('deploy/elasticsearch', () => {
  const roleOf = (name: string) =>
    readJson(`deploy/elasticsearch/${name}-role.json`) as { indices: { names: string[]; privileges: string[] }[] };

  it('grants the indexing side write access and the API side read access to the indices of the default prefix', () => {
    const prefix = defaults.store.elasticsearch.indexPrefix;
    const [writer, reader] = [roleOf('history-writer'), roleOf('history-reader')];
    expect([writer, reader].flatMap(({ indices }) => indices.flatMap(({ names }) => names))).toEqual([
      `${prefix}-*`,
      `${prefix}-*`,
    ]);
    expect(writer.indices[0]?.privileges).toContain('write');
    expect(reader.indices[0]?.privileges).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/write|manage|all|create|delete/)]),
    );
  });

  it('accepts requests of the size that the indexer sends', () => {
    const [settings] = readYaml('deploy/elasticsearch/elasticsearch.yml') as [Record<string, string>];
    const limit = /^(\d+)mb$/.exec(settings['http.max_content_length'] ?? '')?.[1];
    expect(Number(limit) * 1024 * 1024).toBeGreaterThan(defaults.store.elasticsearch.bulkBytes * 2);
  });

  it('starts in a container with a fresh copy of its settings', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-elasticsearch-'));
    const settings = path.join(folder, 'settings');
    mkdirSync(path.join(folder, 'config/jvm.options.d'), { recursive: true });
    mkdirSync(settings);
    writeFileSync(path.join(folder, 'config/elasticsearch.yml'), 'cluster.name: history\n');
    writeFileSync(path.join(settings, 'elasticsearch.keystore'), 'old');
    // A fake of the image's entry point.
    writeFileSync(path.join(folder, 'tini'), '#!/bin/sh\necho "$*"\n', { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}`, ES_PATH_CONF: settings };
    const script = path.join(WORKSPACE_ROOT, 'deploy/elasticsearch/start.sh');
    const { stdout } = spawnSync('bash', [script], { env, cwd: folder, encoding: 'utf8' });
    const copied = readdirSync(settings).sort();
    rmSync(folder, { recursive: true });
    expect([stdout, copied]).toEqual(['-- docker-entrypoint.sh eswrapper\n', ['elasticsearch.yml', 'jvm.options.d']]);
  });

  describe('create-users.sh', () => {
    const curl = provideCurl();
    afterAll(curl.remove);
    let server: Server;
    let folder: string;
    let requests: { method: string; url: string; user: string; body: unknown }[];
    let status: number;

    beforeEach(async () => {
      requests = [];
      status = 200;
      server = createServer((request, response) => {
        void readBody(request).then((body) => {
          const user = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
          requests.push({ method: request.method ?? '', url: request.url ?? '', user, body: JSON.parse(body) });
          response.writeHead(status).end('{}');
        });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-users-'));
      for (const name of ['admin', 'writer', 'reader']) writeFileSync(path.join(folder, name), `${name}-secret\n`);
    });
    afterEach(async () => {
      rmSync(folder, { recursive: true });
      server.close();
      await once(server, 'close');
    });

    async function run(): Promise<number | null> {
      const { port } = server.address() as AddressInfo;
      const files = ['admin', 'writer', 'reader'].map((name) => path.join(folder, name));
      const script = path.join(WORKSPACE_ROOT, 'deploy/elasticsearch/create-users.sh');
      const child = spawn('sh', [script, `http://127.0.0.1:${port}`, ...files], {
        stdio: 'ignore',
        env: { PATH: curl.path },
      });
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    }

    it('creates both roles and a user of each, as the administrator', async () => {
      expect(await run()).toBe(0);
      expect(new Set(requests.map(({ user }) => user))).toEqual(new Set(['elastic:admin-secret']));
      expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
        ['PUT', '/_security/role/history_writer', roleOf('history-writer')],
        ['PUT', '/_security/role/history_reader', roleOf('history-reader')],
        ['PUT', '/_security/user/history_writer', { password: 'writer-secret', roles: ['history_writer'] }],
        ['PUT', '/_security/user/history_reader', { password: 'reader-secret', roles: ['history_reader'] }],
      ]);
    });

    it('fails when the server rejects a request', async () => {
      status = 403;
      expect(await run()).not.toBe(0);
      expect(requests).toHaveLength(1);
    });
  });
});

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
