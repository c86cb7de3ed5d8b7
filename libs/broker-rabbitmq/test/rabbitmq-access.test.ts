import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithPrograms } from '@antelope-history/servers';
import { makeCertificates, type Certificates } from '@antelope-history/test-support/tls';
import { openRabbitmqBroker, type RabbitmqOptions } from '../src';
import { numberedQueue, until } from './numbered';
import { OwnRabbitmq } from './own-rabbitmq';

jest.setTimeout(240_000);

const DEFINITIONS = path.join(__dirname, '../../../deploy/rabbitmq/definitions.json');
const PASSWORD = 'correct horse';

// These tests start a server of their own, because they create users and change permissions.
describeWithPrograms(['rabbitmq-server'], () => {
  describe('the broker on RabbitMQ', () => {
    let rabbitmq: OwnRabbitmq;
    let certificates: Certificates;
    let errors: HistoryError[];
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
      errors = [];
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
      const broker = await openRabbitmqBroker({ ...history, ...options }, (error) => errors.push(error), topology);
      brokers.push(broker);
      return broker;
    };
    const refusal = async (options: Partial<RabbitmqOptions>): Promise<HistoryError> =>
      open(options).then(
        () => Promise.reject(new Error('the server accepted the connection')),
        (error: unknown) => error as HistoryError,
      );
    const permit = (configure: string, write: string, read: string): Promise<string> =>
      rabbitmq.command('set_permissions', '--vhost', 'history', 'history', configure, write, read);
    const overTls = (): Partial<RabbitmqOptions> => ({
      url: `amqps://127.0.0.1:${rabbitmq.tlsPort}`,
      caFile: certificates.ca,
    });

    it('accepts the queues of the definitions as its own', async () => {
      const broker = await open({}, TOPOLOGY);
      const request = { code: 'BLOCK_GAP', reason: 'none' };
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
      expect(errors).toEqual([]);
    });

    it('cannot log in with the definitions before a password is set', async () => {
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
      [
        'a virtual host that does not exist',
        { vhost: 'nowhere' },
        /virtual host nowhere.*rabbitmqctl add_vhost nowhere/,
      ],
      ['a virtual host without permissions', { vhost: '/' }, /history.*virtual host \/.*set_permissions/],
    ])('rejects %s for good, and says what to do', async (_, options, words) => {
      const error = await refusal(options);
      expect(error).toMatchObject({ code: 'ACCESS_REFUSED', retryable: false });
      expect(error.message).toMatch(words);
      expect(errors).toEqual([]);
    });

    it('rejects for good without the permission to declare queues, to publish and to consume', async () => {
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

    it('rejects a queue with other bounds, and says what to do', async () => {
      const queue = numberedQueue({ maxMessages: 7 });
      await open({}, { queue });
      await open({}, { queue });
      const other = open({}, { queue: { ...queue, maxMessages: 8 } });
      await expect(other).rejects.toMatchObject({ code: 'BROKER_QUEUE_MISMATCH', retryable: false });
      await expect(other).rejects.toThrow(`rabbitmqctl delete_queue --vhost history ${queue.name}`);
    });

    it('replaces the classic queues of an earlier version, and reports each', async () => {
      const queue = numberedQueue();
      const former = await open({ queueType: 'classic' }, { queue });
      await former.publish(queue, { n: 1, size: 10 });
      await former.close();
      // Apps that start at once disturb each other: one declares the former queue anew that another has just deleted.
      const [broker] = await Promise.all(Array.from({ length: 6 }, () => open({}, { queue })));
      const types = await rabbitmq.command('list_queues', '--vhost', 'history', '--no-table-headers', 'name', 'type');
      expect(types).toContain(`${queue.name}\tquorum`);
      expect(types).toContain(`${queue.deadLetter}\tquorum`);
      const reports = errors.filter(({ code }) => code === 'BROKER_QUEUE_MISMATCH').map(({ message }) => message);
      expect(reports.join()).toMatch(
        new RegExp(`classic queue ${queue.name} of an earlier .* its 1 messages are dropped`),
      );
      await broker?.publish(queue, { n: 2, size: 10 });
      expect(await broker?.depth(queue)).toMatchObject({ messages: 1 });
    });

    it('replaces a queue again that another app has declared anew meanwhile', async () => {
      const queue = numberedQueue();
      const declareFormer = async (): Promise<void> => {
        const former = await open({ queueType: 'classic' }, { queue }).catch(() => undefined);
        await former?.close();
      };
      await declareFormer();
      const disturb = async (): Promise<void> => {
        for (let times = 0; times < 5; times++) await declareFormer();
      };
      const [broker] = await Promise.all([open({}, { queue }), disturb(), disturb(), disturb()]);
      await broker.publish(queue, { n: 1, size: 10 });
      expect(await broker.depth(queue)).toMatchObject({ messages: 1 });
    });

    it('rejects classic queues of an earlier version that an app consumes, or that hold dead letters', async () => {
      const queue = numberedQueue();
      const former = await open({ queueType: 'classic' }, { queue });
      await former.publish(queue, { n: 1, size: 10 });
      const { cancel } = await former.consume(queue, ({ reject }) => reject(new HistoryError('BLOCK_REFUSED', 'no')));
      await until('the message is rejected', async () => (await former.depth(queue)).deadLetters === 1);
      const mismatch = { code: 'BROKER_QUEUE_MISMATCH', retryable: false };
      await expect(open({}, { queue })).rejects.toMatchObject(mismatch);
      await cancel();
      await expect(open({}, { queue })).rejects.toMatchObject(mismatch);
      expect(await former.deadLetters(queue)).toMatchObject([{ message: { n: 1 } }]);
      await former.redeliverDeadLetters(queue);
      await former.close();
      await open({}, { queue });
    });

    it('connects to another node when one is away', async () => {
      const broker = await open({ url: `amqp://127.0.0.1:1, ${rabbitmq.options.url}, amqp://127.0.0.1:1` });
      await broker.publish(numberedQueue(), { n: 1, size: 10 });
    });

    it('connects with TLS to a server whose authority is configured', async () => {
      const broker = await open(overTls());
      await broker.publish(numberedQueue(), { n: 1, size: 100_000 });
    });

    it('rejects a server with an untrusted certificate, and an authority file that cannot be read', async () => {
      const error = await refusal({ ...overTls(), caFile: undefined });
      expect(error).toMatchObject({ code: 'CERTIFICATE_REFUSED', retryable: false });
      expect(error.message).toContain('broker.rabbitmq.ca_file');
      const unreadable = await refusal({ ...overTls(), caFile: '/nowhere.pem' });
      expect(unreadable).toMatchObject({ code: 'CONFIG_INVALID' });
    });

    it('never shows its password', async () => {
      const secret = 'wrong horse, secret horse';
      const encoded = Buffer.from(`\0history\0${secret}`).toString('base64');
      const refusals = [
        await refusal({ password: secret }),
        await refusal({ password: secret, vhost: 'nowhere' }),
        await refusal({ ...overTls(), caFile: undefined, password: secret }),
      ];
      const shown = inspect([...refusals, ...errors], { depth: 20, showHidden: true });
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(encoded);
      expect(shown).toContain('ACCESS_REFUSED');
    });
  });
});
