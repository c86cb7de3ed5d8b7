import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { inspect } from 'node:util';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithPrograms, findFreePorts } from '@antelope-history/servers';
import { type Certificates, makeCertificates, type ServerCertificate } from '@antelope-history/test-support/tls';
import { openRedisKeyValue, type RedisOptions } from '../src';
import { OwnRedis, until } from './own-redis';

const PASSWORD = 'unspeakable-7f3a';

/** The error with which opening the store fails. */
async function openingError(options: Partial<RedisOptions> & { url: string }): Promise<HistoryError> {
  const error = await openRedisKeyValue({ keyPrefix: 'test', ...options }, () => undefined).then(
    () => expect('opened').toBe('refused'),
    (reason: unknown) => reason,
  );
  expect(inspect(error, { depth: 10 })).not.toContain(PASSWORD);
  expect(error).toBeInstanceOf(HistoryError);
  return error as HistoryError;
}

async function expectToWork(options: Partial<RedisOptions> & { url: string }): Promise<void> {
  const store = await openRedisKeyValue({ keyPrefix: 'test', ...options }, (error) => expect(error).toBeUndefined());
  await store.set('one', '1');
  expect(await store.get('one')).toBe('1');
  await store.close();
}

// These tests start their own servers, because they kill and freeze them and change their passwords.
describeWithPrograms(['redis-server'], () => {
  describe('a Redis with access control', () => {
    let redis: OwnRedis;
    beforeAll(async () => {
      redis = await OwnRedis.start(
        '--requirepass',
        PASSWORD,
        '--user',
        'some',
        'on',
        `>${PASSWORD}`,
        '~test:*',
        '+@all',
      );
    });
    afterAll(() => redis.kill());

    it('accepts the password of the default user, and a named user with its password', async () => {
      await expectToWork({ url: redis.url, password: PASSWORD });
      await expectToWork({ url: redis.url, username: 'some', password: PASSWORD });
      await expectToWork({ url: redis.url.replace('//', `//some:${PASSWORD}@`) });
    });

    it.each<[string, Partial<RedisOptions>]>([
      ['no password', {}],
      ['another password', { password: `${PASSWORD}x` }],
      ['another user', { username: 'nobody', password: PASSWORD }],
    ])('refuses %s with a final error', async (_, access) => {
      const error = await openingError({ url: redis.url, ...access });
      expect([error.code, error.retryable]).toEqual(['ACCESS_REFUSED', false]);
      expect(error.message).toContain('key_value.redis.password');
    });

    it('refuses a database that does not exist', async () => {
      expect(await openingError({ url: `${redis.url}/99`, password: PASSWORD })).toMatchObject({
        code: 'CONFIG_INVALID',
      });
    });
  });

  it('a running store survives a change of the password, and reports the refusal once', async () => {
    const redis = await OwnRedis.start();
    const troubles: HistoryError[] = [];
    const store = await openRedisKeyValue({ url: redis.url, keyPrefix: 'test' }, (error) => troubles.push(error));
    await redis.kill();
    await until('the outage is noticed', () => troubles.length > 0);
    const locked = await OwnRedis.startAt(redis.port, '--requirepass', PASSWORD);
    await until('the refusal is reported', () => troubles.length > 1);
    await expect(store.get('one')).rejects.toMatchObject({ code: 'KEY_VALUE_UNAVAILABLE' });
    expect(troubles.map(({ code }) => code)).toEqual(['KEY_VALUE_UNAVAILABLE', 'ACCESS_REFUSED']);
    await locked.kill();
    await store.close();
  });

  describe('a Redis behind TLS', () => {
    let certificates: Certificates;
    let redis: OwnRedis;
    let url: string;

    async function start({ cert, key }: ServerCertificate): Promise<void> {
      const [port = 0] = await findFreePorts(1);
      const files = ['--tls-ca-cert-file', certificates.ca, '--tls-cert-file', cert, '--tls-key-file', key];
      redis = await OwnRedis.start('--tls-port', String(port), ...files, '--tls-auth-clients', 'no');
      url = `rediss://127.0.0.1:${port}`;
    }

    beforeAll(async () => (certificates = await makeCertificates()));
    afterEach(() => redis.kill());
    afterAll(() => certificates.remove());

    it('is accepted with the authority that signed its certificate', async () => {
      await start(certificates.valid);
      await expectToWork({ url, caFile: certificates.ca });
    });

    it('is refused without that authority, and with a certificate that is expired or for another host', async () => {
      await start(certificates.valid);
      expect(await openingError({ url })).toMatchObject({ code: 'CERTIFICATE_REFUSED', retryable: false });
      for (const certificate of [certificates.elsewhere, certificates.expired]) {
        await redis.kill();
        await start(certificate);
        expect(await openingError({ url, caFile: certificates.ca })).toMatchObject({ code: 'CERTIFICATE_REFUSED' });
      }
    });

    it('is refused with a ca_file for an unencrypted connection, and with a ca_file that cannot be read', async () => {
      await start(certificates.valid);
      const unencrypted = await openingError({ url: redis.url, caFile: certificates.ca });
      expect([unencrypted.code, unencrypted.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('rediss:')]);
      const unreadable = await openingError({ url, caFile: `${certificates.ca}.not` });
      expect([unreadable.code, unreadable.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('ca_file')]);
    });
  });
});

describe('a server that repeats the commands that it receives', () => {
  let server: Server;
  beforeAll(async () => {
    // Redis before version 6 replies to HELLO in this way.
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const sent = data.toString().replaceAll(/\s+/g, ' ');
        socket.write(`-ERR unknown command \`HELLO\`, with args beginning with: ${sent}\r\n`);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  it('does not cause an error that contains the password', async () => {
    const { port } = server.address() as AddressInfo;
    const error = await openingError({ url: `redis://127.0.0.1:${port}`, password: PASSWORD });
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('version 6 or later')]);
  });
});

it('a URL whose path is not the number of a database is refused, and the error does not contain it', async () => {
  const error = await openingError({ url: `redis://some:${PASSWORD}@127.0.0.1:1/name` });
  expect(error.code).toBe('CONFIG_INVALID');
});
