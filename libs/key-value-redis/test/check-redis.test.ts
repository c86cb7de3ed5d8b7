import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Finding } from '@antelope-history/connectivity/check';
import { describeWithPrograms, findFreePorts } from '@antelope-history/servers';
import { type Certificates, makeCertificates, type ServerCertificate } from '@antelope-history/test-support/tls';
import { redisChecks, type RedisOptions } from '../src';
import { OwnRedis } from './own-redis';

const SECRET = 'p@ss:w0rd%41"ü';
const TIME_LIMIT_MS = 3_000;

/** The finding of each check by the last word of the check's name; the check of the server has the name `redis`. */
async function findingsOf(
  options: Partial<RedisOptions> & { url: string },
  aheadMs = 0,
): Promise<Record<string, Finding>> {
  const findings: Record<string, Finding> = {};
  const wordOf = (name: string): string => name.split(' ').at(-1) ?? '';
  for (const { name, needs, run } of redisChecks({ keyPrefix: 'test', ...options }, () => Date.now() + aheadMs)) {
    if (needs.some((need) => findings[wordOf(need)]?.outcome !== 'ok')) continue;
    findings[wordOf(name)] = await run(AbortSignal.timeout(TIME_LIMIT_MS));
  }
  expect(JSON.stringify(findings)).not.toContain(JSON.stringify(SECRET).slice(1, -1));
  return findings;
}

const ALL_OK = {
  redis: 'ok redis.answers',
  permissions: 'ok redis.permissions',
  writes: 'ok redis.writes',
  clock: 'ok redis.clock',
};
const idsOf = (findings: Record<string, Finding>) =>
  Object.fromEntries(Object.entries(findings).map(([name, { outcome, id }]) => [name, `${outcome} ${id}`]));

// Each test starts its own servers with settings that a shared server cannot have.
describeWithPrograms(['redis-server'], () => {
  const started: OwnRedis[] = [];
  const start = async (...args: string[]): Promise<OwnRedis> => {
    const redis = await OwnRedis.start(...args);
    started.push(redis);
    return redis;
  };
  afterEach(async () => {
    for (const redis of started.splice(0)) await redis.kill();
  });

  it('the checks pass on a working server and leave no permanent keys', async () => {
    const redis = await start();
    expect(idsOf(await findingsOf({ url: redis.url }))).toEqual(ALL_OK);
    const keys = (await redis.command('KEYS', '*')) as string[];
    // The keys of the last writes expire within five seconds.
    for (const key of keys) expect(await redis.command('PTTL', key)).toBeGreaterThan(0);
  });

  it('the checks report a difference of clocks', async () => {
    const redis = await start();
    const { clock } = await findingsOf({ url: redis.url }, 60_000);
    expect(clock).toMatchObject({ outcome: 'wrong', id: 'redis.clocks_differ' });
    expect(clock?.what).toMatch(/this machine's clock is 6\d seconds ahead of that of Redis's machine/);
  });

  it('the checks report a missing and a wrong password', async () => {
    const redis = await start('--requirepass', SECRET);
    expect(idsOf(await findingsOf({ url: redis.url, password: SECRET }))).toEqual(ALL_OK);
    for (const access of [{}, { password: 'other' }, { username: 'nobody', password: SECRET }]) {
      const { redis: finding } = await findingsOf({ url: redis.url, ...access });
      expect(finding).toMatchObject({ outcome: 'wrong', id: 'redis.wrong_password' });
      expect(finding?.change).toBe('set key_value.redis.username and key_value.redis.password');
    }
  });

  it('the checks report the commands and the keys that a user may not use', async () => {
    const redis = await start();
    const user = async (...rules: string[]): Promise<Record<string, Finding>> => {
      await redis.command('ACL', 'SETUSER', 'reader', 'reset', 'on', `>${SECRET}`, ...rules);
      return findingsOf({ url: redis.url, username: 'reader', password: SECRET });
    };
    expect(idsOf(await user('~test:*', '+@all'))).toEqual(ALL_OK);
    expect((await user('~test:*', '+@all', '-time'))['clock']?.id).toBe('redis.clock_unknown');

    const { permissions: commands } = await user('~test:*', '+@all', '-set', '-sadd', '-mget');
    expect([commands?.outcome, commands?.id]).toEqual(['wrong', 'redis.no_permission']);
    expect(commands?.what).toBe('the user reader may not run set');
    expect(commands?.change).toBe('allow it: ACL SETUSER reader +set');

    const { permissions: keys } = await user('~other:*', '+@all');
    expect([keys?.outcome, keys?.id]).toEqual(['wrong', 'redis.no_key_permission']);
    expect(keys?.what).toContain('test:');
  });

  it('the checks report a read-only replica and a full memory', async () => {
    const primary = await start();
    const replica = await start('--replicaof', '127.0.0.1', String(primary.port));
    expect((await findingsOf({ url: replica.url }))['writes']).toMatchObject({
      outcome: 'wrong',
      id: 'redis.read_only_replica',
    });
    const full = await start('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    expect((await findingsOf({ url: full.url }))['writes']).toMatchObject({ outcome: 'wrong', id: 'redis.full' });
  });

  it('the checks report a database that does not exist, and a server that is frozen or unavailable', async () => {
    const redis = await start();
    const { redis: database } = await findingsOf({ url: `${redis.url}/99` });
    expect([database?.outcome, database?.id]).toEqual(['wrong', 'redis.not_usable']);
    redis.freeze();
    expect((await findingsOf({ url: redis.url }))['redis']?.id).toBe('redis.no_answer');
    await redis.kill();
    expect((await findingsOf({ url: redis.url }))['redis']?.id).toBe('redis.refused');
    expect((await findingsOf({ url: 'redis://no-such-host.invalid' }))['redis']?.id).toBe('redis.unknown_host');
  });

  describe('the checks behind TLS', () => {
    let certificates: Certificates;
    beforeAll(async () => (certificates = await makeCertificates()));
    afterAll(() => certificates.remove());

    async function startTls(certificate: ServerCertificate): Promise<string> {
      const [port = 0] = await findFreePorts(1);
      const files = ['--tls-ca-cert-file', certificates.ca, '--tls-cert-file', certificate.cert];
      await start('--tls-port', String(port), ...files, '--tls-key-file', certificate.key, '--tls-auth-clients', 'no');
      return `rediss://127.0.0.1:${port}`;
    }

    it('trust only certificates that the authority of ca_file signed', async () => {
      const url = await startTls(certificates.valid);
      const caFile = certificates.ca;
      expect(idsOf(await findingsOf({ url, caFile }))).toEqual(ALL_OK);
      expect((await findingsOf({ url }))['redis']?.id).toBe('redis.certificate_untrusted');
      const elsewhere = await startTls(certificates.elsewhere);
      expect((await findingsOf({ url: elsewhere, caFile }))['redis']?.id).toBe('redis.certificate_wrong_host');
    });

    it('report a wrong protocol on either side', async () => {
      const plain = await start();
      const tls = { url: plain.url.replace('redis:', 'rediss:') };
      // Redis reads the TLS handshake as the beginning of a command and waits for the rest.
      expect((await findingsOf(tls))['redis']).toMatchObject({
        id: 'redis.no_answer',
        change: expect.stringContaining('with or without TLS') as string,
      });
      const unencrypted = { url: (await startTls(certificates.valid)).replace('rediss:', 'redis:') };
      expect((await findingsOf(unencrypted))['redis']?.id).toBe('redis.cut_off');
    });
  });
});

describe('the checks of a server other than a current Redis', () => {
  let server: Server;
  let respond: (socket: Socket, data: Buffer) => void;
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => respond(socket, data));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  const find = () =>
    findingsOf({ url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, password: SECRET });

  it('report a version below 6, which repeats the password', async () => {
    respond = (socket, data) =>
      socket.write(`-ERR unknown command \`HELLO\`: ${data.toString().replaceAll(/\s+/g, ' ')}\r\n`);
    const { redis } = await find();
    expect([redis?.outcome, redis?.id]).toEqual(['wrong', 'redis.not_usable']);
    expect(redis?.change).toContain('version 6 or later');
  });

  it('report a server of another protocol', async () => {
    respond = (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    const { redis } = await find();
    expect(redis?.outcome).toBe('wrong');
  });
});
