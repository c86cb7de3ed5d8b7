import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { TOPOLOGY } from '@antelope-history/broker';
import type { Finding } from '@antelope-history/connections';
import { describeWithPrograms } from '@antelope-history/services';
import { makeCertificates, type Certificates } from '@antelope-history/test-support/tls';
import { connect } from 'amqplib';
import { openRabbitmqBroker, rabbitmqChecks, type RabbitmqOptions } from '../src';
import { OwnRabbitmq } from './own-rabbitmq';

jest.setTimeout(120_000);

const SECRET = 'p@ss:w0rd/%41"ü';
const TIME_LIMIT_MS = 3_000;
const LARGEST_MESSAGE_BYTES = 600_000;

/** What each check finds, by its name without `rabbitmq`; the server's own is `rabbitmq`. */
async function findingsOf(options: RabbitmqOptions): Promise<Record<string, Finding>> {
  const findings: Record<string, Finding> = {};
  const wordOf = (name: string): string => name.replace('rabbitmq ', '');
  for (const { name, needs, run } of rabbitmqChecks(options)) {
    if (needs.some((need) => findings[wordOf(need)]?.outcome !== 'ok')) continue;
    findings[wordOf(name)] = await run(AbortSignal.timeout(TIME_LIMIT_MS));
  }
  expect(JSON.stringify(findings)).not.toContain(JSON.stringify(SECRET).slice(1, -1));
  return findings;
}

const idsOf = (findings: Record<string, Finding>) =>
  Object.fromEntries(Object.entries(findings).map(([name, { outcome, id }]) => [name, `${outcome} ${id}`]));

const IN_ORDER = {
  rabbitmq: 'ok rabbitmq.answers',
  'configure permission': 'ok rabbitmq.configure_permission',
  queues: 'ok rabbitmq.no_queues',
  'read permission': 'ok rabbitmq.read_permission',
  publishing: 'ok rabbitmq.publishing',
  'message size': 'ok rabbitmq.message_size',
};

// The programs of whoever has the server: these tests administer one of their own.
describeWithPrograms(['rabbitmq-server'], () => {
  describe('checks of RabbitMQ', () => {
    let rabbitmq: OwnRabbitmq;
    let certificates: Certificates;
    let options: RabbitmqOptions;

    beforeAll(async () => {
      certificates = await makeCertificates();
      rabbitmq = await OwnRabbitmq.start(
        `max_message_size = ${LARGEST_MESSAGE_BYTES}`,
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

    it('find a server in order, and leave nothing there', async () => {
      expect(idsOf(await findingsOf(options))).toEqual(IN_ORDER);
      expect(await rabbitmq.command('list_queues', '--vhost', 'history', '--no-table-headers', 'name')).toBe('');
    });

    it('find queues as they are to be, and one that was made otherwise', async () => {
      const broker = await openRabbitmqBroker(options, () => undefined);
      await broker.close();
      const { queues } = await findingsOf(options);
      expect(queues).toMatchObject({ outcome: 'ok', what: '6 of 6 are there, as they are to be' });

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

    it('find the user or the password wrong', async () => {
      for (const access of [{ password: 'other' }, { password: undefined }, { username: 'nobody' }]) {
        const { rabbitmq: server } = await findingsOf({ ...options, ...access });
        expect(server).toMatchObject({ outcome: 'wrong', id: 'rabbitmq.wrong_password' });
        expect(server?.change).toContain('broker.rabbitmq.username');
      }
    });

    it('tell a virtual host that is not there from one that the user may not enter', async () => {
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
    ] as const)('find that the user lacks the %s permission', async (permission, [configure, write, read]) => {
      await permit(configure, write, read);
      const findings = await findingsOf(options);
      const lacking = Object.values(findings).filter(({ outcome }) => outcome !== 'ok');
      expect(lacking.map(({ outcome, id }) => [outcome, id])).toEqual([
        ['wrong', `rabbitmq.no_${permission}_permission`],
      ]);
      expect(lacking[0]?.what).toContain(`lacks the ${permission} permission on the virtual host history`);
    });

    it('find an alarm of memory', async () => {
      await rabbitmq.command('set_vm_memory_high_watermark', '0.00001');
      expect((await findingsOf(options))['publishing']).toMatchObject({ outcome: 'wrong', id: 'rabbitmq.alarm' });
      await rabbitmq.command('set_vm_memory_high_watermark', '0.6');
      expect((await findingsOf(options))['publishing']?.id).toBe('rabbitmq.publishing');
    });

    it('find that messages of split_bytes are too large', async () => {
      const findings = await findingsOf({ ...options, splitBytes: LARGEST_MESSAGE_BYTES + 1 });
      expect(findings['message size']).toMatchObject({ outcome: 'warning', id: 'rabbitmq.message_size_small' });
    });

    it('trust who is signed by the authority of ca_file, and nobody else', async () => {
      const url = `amqps://127.0.0.1:${rabbitmq.tlsPort}`;
      const caFile = certificates.ca;
      expect(idsOf(await findingsOf({ ...options, url, caFile }))).toEqual(IN_ORDER);
      expect((await findingsOf({ ...options, url }))['rabbitmq']?.id).toBe('rabbitmq.certificate_untrusted');
      expect((await findingsOf({ ...options, url, caFile, vhost: 'nowhere' }))['rabbitmq']?.id).toBe(
        'rabbitmq.no_vhost',
      );
      const plain = { ...options, url: options.url.replace('amqp:', 'amqps:'), caFile };
      expect((await findingsOf(plain))['rabbitmq']?.id).toMatch(/^rabbitmq\.(no_tls|cut_off)$/);
    });
  });
});

describe('checks of what is no RabbitMQ', () => {
  const options = { url: '', vhost: 'history', username: 'history', password: SECRET, splitBytes: 1_000_000 };

  async function findAt(answer: (socket: Socket) => void): Promise<Finding | undefined> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      answer(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `amqp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { rabbitmq } = await findingsOf({ ...options, url });
    server.close();
    return rabbitmq;
  }

  it('find nothing there, a host without an address, and a server that is silent', async () => {
    const away = await findingsOf({ ...options, url: 'amqp://127.0.0.1:1' });
    expect(away['rabbitmq']?.id).toBe('rabbitmq.refused');
    const nowhere = await findingsOf({ ...options, url: 'amqp://no-such-host.invalid' });
    expect(nowhere['rabbitmq']?.id).toBe('rabbitmq.unknown_host');
    expect((await findAt(() => undefined))?.id).toBe('rabbitmq.no_answer');
  });

  it('find a certificate that has expired, and one for another host', async () => {
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
