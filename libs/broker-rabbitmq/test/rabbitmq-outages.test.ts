import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, Queue } from '@antelope-history/broker';
import { createRandom } from '@antelope-history/test-support/random';
import type { HistoryError } from '@antelope-history/schemas';
import { describeWithPrograms } from '@antelope-history/services';
import { openRabbitmqBroker, type RabbitmqOptions } from '../src';
import { FaultyProxy } from './faulty-proxy';
import { numbered, numberedQueue, receiveAll, until, type Numbered } from './numbered';
import { OwnRabbitmq } from './own-rabbitmq';

jest.setTimeout(120_000);

// The programs of whoever has the server: these tests kill and choke one of their own.
describeWithPrograms(['rabbitmq-server'], () => {
  describe('the broker on RabbitMQ', () => {
    let rabbitmq: OwnRabbitmq;
    let proxy: FaultyProxy;
    let troubles: HistoryError[] = [];
    const brokers: Broker[] = [];

    beforeAll(async () => {
      rabbitmq = await OwnRabbitmq.start('max_message_size = 2000000');
    });
    beforeEach(async () => {
      troubles = [];
      proxy = await FaultyProxy.start(rabbitmq.port);
    });
    afterEach(async () => {
      await Promise.all(brokers.splice(0).map((broker) => broker.close()));
      await proxy.close();
    });
    afterAll(() => rabbitmq.remove());

    const open = async (options: Partial<RabbitmqOptions> = {}): Promise<Broker> => {
      const all = { ...rabbitmq.options, heartbeatSeconds: 1, ...options };
      const broker = await openRabbitmqBroker(all, (error) => troubles.push(error), {});
      brokers.push(broker);
      return broker;
    };
    const throughProxy = (): Promise<Broker> => open({ url: `amqp://127.0.0.1:${proxy.port}` });

    /** Publishes messages of all sizes, some in parts, several at a time; counts what is confirmed. */
    const publishMixed = (broker: Broker, queue: Queue<Numbered>, count: number) => {
      const progress = { confirmed: 0, done: Promise.resolve() };
      const sizes = createRandom(count);
      const messages = numbered(count, 0).map(({ n }) => ({ n, size: n % 50 === 0 ? 3_500_000 : 10 + sizes(20_000) }));
      const publish = (each: Numbered): Promise<void> =>
        broker.publish(queue, each).then(() => {
          progress.confirmed++;
        });
      progress.done = Promise.all(messages.map(publish)).then(() => undefined);
      return progress;
    };

    it('loses nothing when the server is killed in the middle', async () => {
      const queue = numberedQueue();
      const [publisher, consumer] = [await open(), await open()];
      const publishing = publishMixed(publisher, queue, 1_000);
      const receiving = receiveAll(consumer, queue, 1_000);
      for (const confirmed of [150, 600]) {
        await until(`${confirmed} messages are confirmed`, () => publishing.confirmed >= confirmed, 60);
        expect(publishing.confirmed).toBeLessThan(1_000);
        await rabbitmq.kill();
        await rabbitmq.restart();
      }
      await publishing.done;
      expect(await receiving).toBeGreaterThanOrEqual(1_000);
      expect(troubles.map(({ code }) => code)).toContain('BROKER_UNAVAILABLE');
      expect(troubles.every(({ retryable }) => retryable)).toBe(true);
    });

    it('keeps what was confirmed, in its order, over a kill', async () => {
      const queue = numberedQueue({ prefetch: 100 });
      const broker = await open();
      const messages = numbered(40, 200_000);
      for (const each of messages) await broker.publish(queue, each);
      await broker.close();
      await rabbitmq.kill();
      await rabbitmq.restart();
      const after = await open();
      // Some twice, if the connection is lost meanwhile.
      const received = new Set<number>();
      await after.consume(queue, (delivery) => void received.add(delivery.message.n));
      await until('all are there', () => received.size === 40, 60);
      expect([...received]).toEqual(messages.map(({ n }) => n));
    });

    it.each([1, 2, 3])('gets everything through a network that cuts, stalls and delays (seed %i)', async (seed) => {
      const random = createRandom(seed);
      const queue = numberedQueue({ maxMessages: 20 });
      const [publisher, consumer] = [await throughProxy(), await throughProxy()];
      const publishing = publishMixed(publisher, queue, 600);
      const receiving = receiveAll(consumer, queue, 600);
      const finished = Promise.all([publishing.done, receiving]);
      for (let fault = 0; fault < 12; fault++) {
        await sleep(random(400));
        if (random(2) === 0) proxy.cut();
        else proxy.fault = random(2) === 0 ? 'stalled' : { delayMs: random(30) };
        await sleep(random(150));
        proxy.fault = 'none';
      }
      await finished;
      expect(publishing.confirmed).toBe(600);
    });

    it('finds a server that has fallen silent, and goes on with another connection', async () => {
      const queue = numberedQueue();
      const broker = await throughProxy();
      const received: number[] = [];
      await broker.consume(queue, (delivery) => {
        received.push(delivery.message.n);
        delivery.acknowledge();
      });
      await broker.publish(queue, { n: 1, size: 100 });
      proxy.fault = 'stalled';
      const publishing = broker.publish(queue, { n: 2, size: 100 });
      await until('both connections are given up', () => troubles.length >= 2, 10);
      proxy.fault = 'none';
      await publishing;
      await until('the second message', () => received.includes(2));
      expect(troubles[0]?.message).toMatch(/lost .*Heartbeat/);
    });

    it('leaves nothing open when it is closed while the server is silent or away', async () => {
      const silent = await throughProxy();
      await silent.consume(numberedQueue(), () => undefined);
      proxy.fault = 'stalled';
      const startedAt = Date.now();
      await silent.close();
      expect(Date.now() - startedAt).toBeLessThan(6_000);
      await until('its sockets are closed', () => proxy.open === 0, 2);

      proxy.fault = 'none';
      const away = await throughProxy();
      const subscription = await away.consume(numberedQueue(), () => undefined);
      proxy.fault = 'stalled';
      proxy.cut();
      await until('it knows', () => troubles.length >= 2);
      const waiting = away.publish(numberedQueue(), { n: 1, size: 10 });
      const refused = expect(waiting).rejects.toMatchObject({ code: 'STOPPED' });
      await subscription.cancel();
      await away.close();
      await refused;
      await until('its sockets are closed', () => proxy.open === 0, 2);
    });

    it('cannot settle what was delivered over a connection that is lost; it comes again', async () => {
      const queue = numberedQueue();
      const broker = await throughProxy();
      const deliveries: { n: number; redelivered: boolean; acknowledge(): void }[] = [];
      await broker.consume(queue, ({ message, redelivered, acknowledge }) =>
        deliveries.push({ n: message.n, redelivered, acknowledge }),
      );
      for (const each of numbered(3, 10)) await broker.publish(queue, each);
      await until('they came', () => deliveries.length === 3);
      proxy.cut();
      await until('they came again', () => deliveries.length === 6);
      expect(deliveries.map(({ n, redelivered }) => [n, redelivered])).toEqual([
        [1, false],
        [2, false],
        [3, false],
        [1, true],
        [2, true],
        [3, true],
      ]);
      for (const old of deliveries.slice(0, 3)) old.acknowledge();
      expect(await broker.depth(queue)).toMatchObject({ messages: 3 });
      for (const again of deliveries.slice(3)) again.acknowledge();
      await until('all are settled', async () => (await broker.depth(queue)).messages === 0);
    });

    it('waits while the server is short of memory, and still settles what it has', async () => {
      const queue = numberedQueue();
      const broker = await open();
      const acknowledging: (() => void)[] = [];
      await broker.consume(queue, ({ acknowledge }) => acknowledging.push(acknowledge));
      for (const each of numbered(5, 100)) await broker.publish(queue, each);
      await until('they came', () => acknowledging.length === 5);
      await rabbitmq.command('set_vm_memory_high_watermark', '0.000001');
      await sleep(500);
      let published = false;
      const publishing = broker.publish(queue, { n: 6, size: 100 }).then(() => (published = true));
      await until('the alarm is told', () => troubles.some(({ message }) => message.includes('short of memory')));
      for (const acknowledge of acknowledging) acknowledge();
      await until('they are settled', async () => (await broker.depth(queue)).messages === 0);
      expect(published).toBe(false);
      await rabbitmq.command('set_vm_memory_high_watermark', '0.4');
      await publishing;
      await until('it came', () => acknowledging.length === 6);
    });

    it('splits messages where the server takes none as large as configured, and says so', async () => {
      const broker = await open({ splitBytes: 16 * 1024 * 1024 });
      const queue = numberedQueue();
      const messages = [10, 9_000_000, 2_000, 5_000_000].map((size, index) => ({ n: index + 1, size }));
      const publishing = Promise.all(messages.map((each) => broker.publish(queue, each)));
      expect(await receiveAll(broker, queue, 4)).toBeGreaterThanOrEqual(4);
      await publishing;
      expect(troubles.length).toBeGreaterThan(0);
      for (const { message } of troubles) expect(message).toMatch(/broker.rabbitmq.split_bytes; going on with \d+/);
    });

    it('waits for a server that is not there yet, and says so', async () => {
      await rabbitmq.kill();
      const opening = open();
      await until('it is tried', () => troubles.length >= 3);
      await rabbitmq.restart();
      expect(troubles.every(({ code }) => code === 'BROKER_UNAVAILABLE')).toBe(true);
      expect(troubles[2]?.message).toMatch(/127.0.0.1:\d+.*; trying again in \d/);
      const broker = await opening;
      await broker.publish(numberedQueue(), { n: 1, size: 10 });
    });
  });
});
