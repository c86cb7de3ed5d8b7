import { connect } from 'amqplib';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { TOPOLOGY } from '@antelope-history/broker';
import type { Finding } from '@antelope-history/connectivity/check';
import { describeWithPrograms } from '@antelope-history/servers';
import { type Certificates, makeCertificates } from '@antelope-history/test-support/tls';
import { openRabbitmqBroker, type RabbitmqOptions } from '../src';
import { rabbitmqChecks } from '../src/check';
import { until } from './numbered';
import { OwnRabbitmq } from './own-rabbitmq';

jest.setTimeout(240_000);

const SECRET = 'p@ss:w0rd/%41"ü';
const TIME_LIMIT_MS = 30_000;
const MAX_MESSAGE_BYTES = 600_000;

/** The finding of each check by its name without the prefix `rabbitmq`; the first check is named `rabbitmq`. */
async function findingsOf(options: RabbitmqOptions, limitMs = TIME_LIMIT_MS): Promise<Record<string, Finding>> {
  const findings: Record<string, Finding> = {};
  const keyOf = (name: string): string => name.replace('rabbitmq ', '');
  for (const { name, needs, run } of rabbitmqChecks(options)) {
    if (needs.some((need) => findings[keyOf(need)]?.outcome !== 'ok')) continue;
    findings[keyOf(name)] = await run(AbortSignal.timeout(limitMs));
  }
  expect(JSON.stringify(findings)).not.toContain(JSON.stringify(SECRET).slice(1, -1));
  return findings;
}

const idsOf = (findings: Record<string, Finding>) =>
  Object.fromEntries(Object.entries(findings).map(([name, { outcome, id }]) => [name, `${outcome} ${id}`]));

const ALL_OK = {
  rabbitmq: 'ok rabbitmq.answers',
  'configure permission': 'ok rabbitmq.configure_permission',
  queues: 'ok rabbitmq.no_queues',
  'read permission': 'ok rabbitmq.read_permission',
  publishing: 'ok rabbitmq.publishing',
  'message size': 'ok rabbitmq.message_size',
};

// These tests start a server of their own, because they change its users and limits.
describeWithPrograms(['rabbitmq-server'], () => {
  describe('checks of RabbitMQ', () => {
    let rabbitmq: OwnRabbitmq;
    let certificates: Certificates;
    let options: RabbitmqOptions;

    beforeAll(async () => {
      certificates = await makeCertificates();
      rabbitmq = await OwnRabbitmq.start(
        `max_message_size = ${MAX_MESSAGE_BYTES}`,
        'listeners.ssl.local = 127.0.0.1:TLS_PORT',
        `ssl_options.cacertfile = ${certificates.ca}`,
        `ssl_options.certfile = ${certificates.valid.cert}`,
        `ssl_options.keyfile = ${certificates.valid.key}`,
      );
      options = { ...rabbitmq.options, vhost: 'history', username: 'history', password: SECRET, splitBytes: 500_000 };
      await rabbitmq.command('add_vhost', 'history');
      await rabbitmq.commandWith(`${SECRET}\n`, 'add_user', 'history');
    });
    beforeEach(() => permit('.*', '.*', '.*'));
    afterAll(async () => {
      await rabbitmq.remove();
      certificates.remove();
    });

    const permit = (configure: string, write: string, read: string): Promise<string> =>
      rabbitmq.command('set_permissions', '--vhost', 'history', 'history', configure, write, read);

    it('find a usable server, and leave nothing on it', async () => {
      expect(idsOf(await findingsOf(options))).toEqual(ALL_OK);
      expect(await rabbitmq.command('list_queues', '--vhost', 'history', '--no-table-headers', 'name')).toBe('');
    });

    it('find queues with the right bounds, and one with other bounds', async () => {
      const broker = await openRabbitmqBroker(options, () => undefined);
      await broker.close();
      const { queues } = await findingsOf(options);
      expect(queues).toMatchObject({ outcome: 'ok', what: '6 of 6 exist, with the right bounds' });

      const { name } = TOPOLOGY.rawBlocks;
      await rabbitmq.command('delete_queue', '--vhost', 'history', name);
      const { username, password, vhost } = options;
      const connection = await connect({ port: rabbitmq.port, hostname: '127.0.0.1', username, password, vhost });
      await (await connection.createChannel()).assertQueue(name, { durable: true, maxLength: 7 });
      await connection.close();
      expect((await findingsOf(options))['queues']).toMatchObject({ outcome: 'wrong', id: 'rabbitmq.queue_mismatch' });
      expect((await findingsOf(options))['queues']?.what).toContain(name);
      await rabbitmq.command('delete_vhost', 'history');
      await rabbitmq.command('add_vhost', 'history');
    });

    it('find a classic queue of an earlier version, which the start of the service replaces', async () => {
      const former = await openRabbitmqBroker({ ...options, queueType: 'classic' }, () => undefined);
      await former.close();
      const { queues } = await findingsOf(options);
      expect(queues).toMatchObject({ outcome: 'warning', id: 'rabbitmq.former_queue' });
      await (await openRabbitmqBroker(options, () => undefined)).close();
      expect(idsOf(await findingsOf(options))).toMatchObject({ queues: 'ok rabbitmq.queues' });
      await rabbitmq.command('delete_vhost', 'history');
      await rabbitmq.command('add_vhost', 'history');
    });

    it('find that one of several nodes is away', async () => {
      const away = 'amqp://127.0.0.1:1';
      const findings = idsOf(await findingsOf({ ...options, url: `${options.url},${away}` }));
      expect(findings).toEqual({ ...ALL_OK, [away]: 'wrong rabbitmq.refused' });
    });

    it('find a wrong user or password', async () => {
      for (const access of [{ password: 'other' }, { password: undefined }, { username: 'nobody' }]) {
        const { rabbitmq: server } = await findingsOf({ ...options, ...access });
        expect(server).toMatchObject({ outcome: 'wrong', id: 'rabbitmq.wrong_password' });
        expect(server?.change).toContain('broker.rabbitmq.username');
      }
    });

    it('distinguish a missing virtual host from one without permissions', async () => {
      const { rabbitmq: none } = await findingsOf({ ...options, vhost: 'nowhere' });
      expect(none).toMatchObject({ outcome: 'wrong', id: 'rabbitmq.no_vhost' });
      expect(none?.change).toContain('rabbitmqctl add_vhost nowhere');
      const { rabbitmq: closed } = await findingsOf({ ...options, vhost: '/' });
      expect(closed).toMatchObject({ outcome: 'wrong', id: 'rabbitmq.no_access' });
      expect(closed?.change).toContain('rabbitmqctl set_permissions --vhost / history');
      await rabbitmq.command('set_vhost_limits', '--vhost', 'history', '{"max-connections": 0}');
      expect((await findingsOf(options))['rabbitmq']?.id).toBe('rabbitmq.connection_limit');
      await rabbitmq.command('clear_vhost_limits', '--vhost', 'history');
    });

    it.each([
      ['configure', ['', '.*', '.*']],
      ['write', ['.*', '', '.*']],
      ['read', ['.*', '.*', '']],
    ] as const)('find a missing %s permission', async (permission, [configure, write, read]) => {
      await permit(configure, write, read);
      const findings = await findingsOf(options);
      const lacking = Object.values(findings).filter(({ outcome }) => outcome !== 'ok');
      expect(lacking.map(({ outcome, id }) => [outcome, id])).toEqual([
        ['wrong', `rabbitmq.no_${permission}_permission`],
      ]);
      expect(lacking[0]?.what).toContain(`lacks the ${permission} permission on the virtual host history`);
    });

    it('find a memory alarm', async () => {
      await rabbitmq.command('set_vm_memory_high_watermark', '0.00001');
      const findsPublishing = (id: string): Promise<void> =>
        until(id, async () => (await findingsOf(options))['publishing']?.id === id);
      await findsPublishing('rabbitmq.alarm');
      expect((await findingsOf(options))['publishing']?.outcome).toBe('wrong');
      await rabbitmq.command('set_vm_memory_high_watermark', '0.6');
      await findsPublishing('rabbitmq.publishing');
    });

    it('find that the server accepts no messages of split_bytes', async () => {
      const findings = await findingsOf({ ...options, splitBytes: MAX_MESSAGE_BYTES + 1 });
      expect(findings['message size']).toMatchObject({ outcome: 'warning', id: 'rabbitmq.message_size_small' });
    });

    it('trust only certificates that the authority of ca_file signed', async () => {
      const url = `amqps://127.0.0.1:${rabbitmq.tlsPort}`;
      const caFile = certificates.ca;
      expect(idsOf(await findingsOf({ ...options, url, caFile }))).toEqual(ALL_OK);
      expect((await findingsOf({ ...options, url }))['rabbitmq']?.id).toBe('rabbitmq.certificate_untrusted');
      expect((await findingsOf({ ...options, url, caFile, vhost: 'nowhere' }))['rabbitmq']?.id).toBe(
        'rabbitmq.no_vhost',
      );
      const plain = { ...options, url: options.url.replace('amqp:', 'amqps:'), caFile };
      expect((await findingsOf(plain))['rabbitmq']?.id).toMatch(/^rabbitmq\.(no_tls|cut_off)$/);
    });
  });
});

describe('checks of another server than RabbitMQ', () => {
  const options = { url: '', vhost: 'history', username: 'history', password: SECRET, splitBytes: 1_000_000 };

  async function findAt(respond: (socket: Socket) => void, limitMs?: number): Promise<Finding | undefined> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      respond(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `amqp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { rabbitmq } = await findingsOf({ ...options, url }, limitMs);
    server.close();
    return rabbitmq;
  }

  it('find a closed port, a host without an address, and a silent server', async () => {
    const away = await findingsOf({ ...options, url: 'amqp://127.0.0.1:1' });
    expect(away['rabbitmq']?.id).toBe('rabbitmq.refused');
    const nowhere = await findingsOf({ ...options, url: 'amqp://no-such-host.invalid' });
    expect(nowhere['rabbitmq']?.id).toBe('rabbitmq.unknown_host');
    expect((await findAt(() => undefined, 2_000))?.id).toBe('rabbitmq.no_answer');
  });

  it('find an expired certificate, and one for another host', async () => {
    const certificates = await makeCertificates();
    const ids: (string | undefined)[] = [];
    for (const { cert, key } of [certificates.expired, certificates.elsewhere]) {
      const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) });
      server.on('tlsClientError', () => undefined);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `amqps://127.0.0.1:${(server.address() as AddressInfo).port}`;
      ids.push((await findingsOf({ ...options, url, caFile: certificates.ca }))['rabbitmq']?.id);
      server.close();
    }
    expect(ids).toEqual(['rabbitmq.certificate_expired', 'rabbitmq.certificate_wrong_host']);
    certificates.remove();
  });

  it('find a server of another protocol', async () => {
    const finding = await findAt((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect([finding?.outcome, finding?.id]).toEqual(['wrong', 'rabbitmq.not_usable']);
  });
});
