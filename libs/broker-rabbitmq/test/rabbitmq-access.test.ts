import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import type { HistoryError } from '@antelope-history/schemas';
import { describeWithPrograms } from '@antelope-history/services';
import { makeCertificates, type Certificates } from '@antelope-history/test-support/tls';
import { openRabbitmqBroker, type RabbitmqOptions } from '../src';
import { numberedQueue } from './numbered';
import { OwnRabbitmq } from './own-rabbitmq';

jest.setTimeout(120_000);

const DEFINITIONS = path.join(__dirname, '../../../deploy/rabbitmq/definitions.json');
const PASSWORD = 'correct horse';

// The programs of whoever has the server: these tests make users and refuse them on one of their own.
describeWithPrograms(['rabbitmq-server'], () => {
  describe('the broker on RabbitMQ', () => {
    let rabbitmq: OwnRabbitmq;
    let certificates: Certificates;
    let troubles: HistoryError[];
    const brokers: Broker[] = [];

    beforeAll(async () => {
      certificates = await makeCertificates();
      const { ca, valid } = certificates;
      rabbitmq = await OwnRabbitmq.start(
        'listeners.ssl.local = 127.0.0.1:TLS_PORT',
        `ssl_options.cacertfile = ${ca}`,
        `ssl_options.certfile = ${valid.cert}`,
        `ssl_options.keyfile = ${valid.key}`,
      );
      await rabbitmq.importDefinitions(JSON.parse(readFileSync(DEFINITIONS, 'utf8')));
      await rabbitmq.commandWith(`${PASSWORD}\n`, 'change_password', 'history');
    });
    beforeEach(() => {
      troubles = [];
    });
    afterEach(async () => {
      await Promise.all(brokers.splice(0).map((broker) => broker.close()));
    });
    afterAll(async () => {
      await rabbitmq.remove();
      certificates.remove();
    });

    const open = async (options: Partial<RabbitmqOptions> = {}, topology = {}): Promise<Broker> => {
      const history = { ...rabbitmq.options, vhost: 'history', username: 'history', password: PASSWORD };
      const broker = await openRabbitmqBroker({ ...history, ...options }, (error) => troubles.push(error), topology);
      brokers.push(broker);
      return broker;
    };
    const refusal = async (options: Partial<RabbitmqOptions>): Promise<HistoryError> =>
      open(options).then(
        () => Promise.reject(new Error('it was let in')),
        (error: unknown) => error as HistoryError,
      );
    const permit = (configure: string, write: string, read: string): Promise<string> =>
      rabbitmq.command('set_permissions', '--vhost', 'history', 'history', configure, write, read);
    const overTls = (): Partial<RabbitmqOptions> => ({
      url: `amqps://127.0.0.1:${rabbitmq.tlsPort}`,
      caFile: certificates.ca,
    });

    it('finds the queues of the definitions as it would have made them', async () => {
      const broker = await open({}, TOPOLOGY);
      const request = { fromBlock: 7, code: 'BLOCK_GAP', reason: 'none' };
      await broker.publish(TOPOLOGY.refetch, request);
      const received = await new Promise((resolve) => {
        void broker.consume(TOPOLOGY.refetch, ({ message, acknowledge }) => {
          acknowledge();
          resolve(message);
        });
      });
      expect(received).toEqual(request);
      const queues = (await rabbitmq.command('list_queues', '--vhost', 'history', '--no-table-headers', 'name')).trim();
      const definitions = JSON.parse(readFileSync(DEFINITIONS, 'utf8'));
      expect(queues.split('\n').sort()).toEqual(definitions.queues.map(({ name }: { name: string }) => name).sort());
      expect(troubles).toEqual([]);
    });

    it('lets nobody in without a password before one is set', async () => {
      await rabbitmq.command('add_vhost', 'other');
      const definitions = JSON.parse(readFileSync(DEFINITIONS, 'utf8'));
      definitions.users[0].name = 'other';
      await rabbitmq.importDefinitions({ users: definitions.users });
      await rabbitmq.command('set_permissions', '--vhost', 'other', 'other', '.*', '.*', '.*');
      for (const password of ['', undefined]) {
        const error = await refusal({ username: 'other', vhost: 'other', password });
        expect(error.code).toBe('ACCESS_REFUSED');
      }
    });

    it('names its connections', async () => {
      await open({ connectionName: 'indexer' });
      const names = await rabbitmq.command('list_connections', '--no-table-headers', 'client_properties');
      expect(names).toContain('indexer: consuming');
      expect(names).toContain('indexer: publishing');
    });

    it.each([
      ['a wrong password', { password: 'wrong horse' }, /username and password/],
      ['an unknown user', { username: 'nobody' }, /username and password/],
      ['a virtual host that is not there', { vhost: 'nowhere' }, /virtual host nowhere.*rabbitmqctl add_vhost nowhere/],
      ['a virtual host of others', { vhost: '/' }, /history.*virtual host \/.*set_permissions/],
    ])('is refused for good with %s, and says what to do', async (_, options, words) => {
      const error = await refusal(options);
      expect(error).toMatchObject({ code: 'ACCESS_REFUSED', retryable: false });
      expect(error.message).toMatch(words);
      expect(troubles).toEqual([]);
    });

    it('is refused for good without the permission to make queues, to publish and to consume', async () => {
      const queue = numberedQueue();
      await permit('^$', '.*', '.*');
      await expect(open({}, { queue })).rejects.toMatchObject({ code: 'ACCESS_REFUSED' });
      await permit('.*', '^$', '^$');
      const broker = await open();
      const grant = /rabbitmqctl set_permissions --vhost history history/;
      for (const use of [
        () => broker.publish(queue, { n: 1, size: 10 }),
        () => broker.consume(queue, () => undefined),
      ]) {
        await expect(use()).rejects.toMatchObject({ code: 'ACCESS_REFUSED', message: expect.stringMatching(grant) });
      }
      await permit('.*', '.*', '.*');
      await broker.publish(queue, { n: 1, size: 10 });
    });

    it('refuses a queue that was made with other bounds, and says what to do', async () => {
      const queue = numberedQueue({ maxMessages: 7 });
      await open({}, { queue });
      await open({}, { queue });
      const other = open({}, { queue: { ...queue, maxMessages: 8 } });
      await expect(other).rejects.toMatchObject({ code: 'BROKER_QUEUE_MISMATCH', retryable: false });
      await expect(other).rejects.toThrow(`rabbitmqctl delete_queue --vhost history ${queue.name}`);
    });

    it('speaks TLS with a server whose authority it is told', async () => {
      const broker = await open(overTls());
      await broker.publish(numberedQueue(), { n: 1, size: 100_000 });
    });

    it('refuses a server whose certificate nobody vouches for, and an authority that can not be read', async () => {
      const error = await refusal({ ...overTls(), caFile: undefined });
      expect(error).toMatchObject({ code: 'CERTIFICATE_REFUSED', retryable: false });
      expect(error.message).toContain('broker.rabbitmq.ca_file');
      const unreadable = await refusal({ ...overTls(), caFile: '/nowhere.pem' });
      expect(unreadable).toMatchObject({ code: 'CONFIG_INVALID' });
    });

    it('never says its password', async () => {
      const secret = 'wrong horse, secret horse';
      const encoded = Buffer.from(`\0history\0${secret}`).toString('base64');
      const errors = [
        await refusal({ password: secret }),
        await refusal({ password: secret, vhost: 'nowhere' }),
        await refusal({ ...overTls(), caFile: undefined, password: secret }),
      ];
      const said = inspect([...errors, ...troubles], { depth: 20, showHidden: true });
      expect(said).not.toContain(secret);
      expect(said).not.toContain(encoded);
      expect(said).toContain('ACCESS_REFUSED');
    });
  });
});
