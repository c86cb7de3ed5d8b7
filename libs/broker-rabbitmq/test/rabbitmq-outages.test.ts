import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, Delivery, Queue } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithPrograms } from '@antelope-history/servers';
import { createRandom, testSize } from '@antelope-history/test-support/random';
import { openRabbitmqBroker, type RabbitmqOptions } from '../src';
import { FaultyProxy } from './faulty-proxy';
import { numbered, type Numbered, numberedQueue, receiveAll, until } from './numbered';
import { OwnRabbitmq } from './own-rabbitmq';

const MIB = 1024 * 1024;

jest.setTimeout(400_000);

/** Less than the 20 seconds after which the client itself ends a connection that is silent. */
const CLOSE_LIMIT_MS = 15_000;

// These tests start a server of their own, because they kill it and set off its alarms.
describeWithPrograms(['rabbitmq-server'], () => {
  describe('the broker on RabbitMQ', () => {
    let rabbitmq: OwnRabbitmq;
    let proxy: FaultyProxy;
    let errors: HistoryError[] = [];
    const brokers: Broker[] = [];

    beforeAll(async () => {
      rabbitmq = await OwnRabbitmq.start('max_message_size = 2000000');
    });
    beforeEach(async () => {
      errors = [];
      proxy = await FaultyProxy.start(rabbitmq.port);
    });
    afterEach(async () => {
      await Promise.all(brokers.splice(0).map((broker) => broker.close()));
      await proxy.close();
    });
    afterAll(() => rabbitmq.remove());

    const open = async (options: Partial<RabbitmqOptions> = {}): Promise<Broker> => {
      const broker = await openRabbitmqBroker({ ...rabbitmq.options, ...options }, (error) => errors.push(error), {});
      brokers.push(broker);
      return broker;
    };
    const throughProxy = (options: Partial<RabbitmqOptions> = {}): Promise<Broker> =>
      open({ url: `amqp://127.0.0.1:${proxy.port}`, ...options });

    const isSplit = (n: number): boolean => n % 50 === 0;

    /** Publishes messages of all sizes at once, some of them in parts, and counts the confirmed ones. */
    const publishMixed = (broker: Broker, queue: Queue<Numbered>, count: number) => {
      const progress = { confirmed: 0, done: Promise.resolve() };
      const sizes = createRandom(count);
      const messages = numbered(count, 0).map(({ n }) => ({ n, size: isSplit(n) ? 3_500_000 : 10 + sizes(20_000) }));
      const publish = (each: Numbered): Promise<void> =>
        broker.publish(queue, each).then(() => {
          progress.confirmed++;
        });
      progress.done = Promise.all(messages.map(publish)).then(() => undefined);
      return progress;
    };

    it('loses nothing when the server is killed between confirmations', async () => {
      const queue = numberedQueue();
      const [publisher, consumer] = [await open(), await open()];
      await publisher.publish(queue, { n: 1_001, size: 10 });
      await rabbitmq.writeDefinitions();
      const publishing = publishMixed(publisher, queue, 1_000);
      const received = new Set<number>();
      const held: Delivery<Numbered>[] = [];
      let limit = 0;
      const settle = (): void => {
        for (let next = held[0]; next && received.size < limit; next = held[0]) {
          held.shift();
          received.add(next.message.n);
          next.acknowledge();
        }
      };
      await consumer.consume(queue, (delivery) => {
        held.push(delivery);
        settle();
      });
      // The consumer leaves so many messages that the full queue keeps the publisher from its end, however fast it is.
      for (limit of [150, 500]) {
        settle();
        await until(`${limit} messages are confirmed`, () => publishing.confirmed >= limit, 60);
        await rabbitmq.kill();
        expect(publishing.confirmed).toBeLessThan(1_000);
        await rabbitmq.restart();
      }
      limit = Infinity;
      settle();
      await publishing.done;
      // The queue with the parts of a message is declared for it, and can be lost with the server: then that is reported.
      const incomplete = (): number => errors.filter(({ code }) => code === 'MESSAGE_INCOMPLETE').length;
      await until('all messages are delivered', () => received.size + incomplete() >= 1_001, 60);
      const missing = numbered(1_001, 0).filter(({ n }) => !received.has(n));
      expect(missing.filter(({ n }) => !isSplit(n))).toEqual([]);
      expect(missing.length).toBeLessThanOrEqual(incomplete());
      expect(errors.map(({ code }) => code)).toContain('BROKER_UNAVAILABLE');
      expect(errors.every(({ retryable }) => retryable)).toBe(true);
    });

    it.each(['quorum', 'classic'] as const)(
      'keeps the confirmed messages of %s queues in order when it is killed',
      async (queueType) => {
        const queue = numberedQueue({ prefetch: 100 });
        const broker = await open({ queueType });
        // One of them has parts.
        const messages = numbered(40, 200_000).map((each) => (each.n === 20 ? { ...each, size: 3 * MIB } : each));
        for (const each of messages) await broker.publish(queue, each);
        await rabbitmq.writeDefinitions();
        await broker.close();
        await rabbitmq.kill();
        await rabbitmq.restart();
        const after = await open({ queueType });
        // A set, because a message is delivered again when the connection is lost in between.
        const received = new Set<number>();
        await after.consume(queue, (delivery) => void received.add(delivery.message.n));
        await until('all messages are delivered', () => received.size === 40, 60);
        expect([...received]).toEqual(messages.map(({ n }) => n));
      },
    );

    it.each(testSize({ usual: [1], long: [1, 2, 3] }))(
      'delivers everything through a network that cuts, stalls and delays (seed %i)',
      async (seed) => {
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
      },
    );

    it('rejects what is published when it gives up reconnecting', async () => {
      const queue = numberedQueue();
      const broker = await throughProxy({ giveUpMs: 1_000 });
      await broker.publish(queue, { n: 0, size: 10 });
      await proxy.close();
      await expect(broker.publish(queue, { n: 1, size: 10 })).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
      await expect(broker.depth(queue)).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
    });

    it('detects a silent server, and continues over a new connection', async () => {
      const queue = numberedQueue();
      const broker = await throughProxy({ heartbeatSeconds: 1 });
      const received: number[] = [];
      await broker.consume(queue, (delivery) => {
        received.push(delivery.message.n);
        delivery.acknowledge();
      });
      await broker.publish(queue, { n: 1, size: 100 });
      proxy.fault = 'stalled';
      const publishing = broker.publish(queue, { n: 2, size: 100 });
      await until('both connections are lost', () => errors.length >= 2);
      proxy.fault = 'none';
      await publishing;
      await until('the second message is delivered', () => received.includes(2));
      expect(errors[0]?.message).toMatch(/lost .*Heartbeat/);
    });

    it('consumes over a new connection when the server never says that it has registered the consumer', async () => {
      const queue = numberedQueue();
      const broker = await throughProxy({ replySeconds: 1 });
      proxy.fault = 'unregistered';
      const received: number[] = [];
      await broker.consume(queue, (delivery) => {
        received.push(delivery.message.n);
        delivery.acknowledge();
      });
      expect(errors.map(({ message }) => message)).toContain('RabbitMQ did not reply on a channel within 1 s');
      await broker.publish(queue, { n: 1, size: 100 });
      await until('the message is delivered', () => received.includes(1));
      // The server gave up the first consumer with its connection, and kept nothing for it.
      await until('it is settled', async () => (await broker.depth(queue)).messages === 0);
    });

    it.each([
      ['confirms a message', 'unconfirmed', 100],
      ['confirms a part of a message', 'unconfirmed', 3 * MIB],
      ['has made room for the parts of a message', 'undeleted', 3 * MIB],
    ] as const)('publishes over a new connection when the server never says that it %s', async (_, fault, size) => {
      const queue = numberedQueue();
      const broker = await throughProxy({ replySeconds: 1, splitBytes: MIB });
      await broker.publish(queue, { n: 1, size: 100 });
      proxy.fault = fault;
      await Promise.all([broker.publish(queue, { n: 2, size }), broker.publish(queue, { n: 3, size: 10 })]);
      expect(errors.map(({ code }) => code)).toContain('BROKER_UNAVAILABLE');
      const received: number[] = [];
      await broker.consume(queue, ({ message, acknowledge }) => {
        received.push(message.n);
        acknowledge();
      });
      await until('the last message is delivered', () => received.includes(3));
      // At least once, in order: what was published before the connection ended may be there twice.
      expect([...new Set(received)]).toEqual([1, 2, 3]);
    });

    it('leaves nothing open when it is closed while the server is silent or away', async () => {
      const silent = await throughProxy();
      const unanswered = await silent.consume(numberedQueue(), () => undefined);
      proxy.fault = 'stalled';
      const startedAt = Date.now();
      await unanswered.cancel();
      await silent.close();
      expect(Date.now() - startedAt).toBeLessThan(CLOSE_LIMIT_MS);
      await until('its sockets are closed', () => proxy.open === 0);

      proxy.fault = 'none';
      const away = await throughProxy();
      const subscription = await away.consume(numberedQueue(), () => undefined);
      proxy.fault = 'stalled';
      proxy.cut();
      await until('the losses are reported', () => errors.length >= 2);
      const waiting = away.publish(numberedQueue(), { n: 1, size: 10 });
      const rejected = expect(waiting).rejects.toMatchObject({ code: 'STOPPED' });
      await subscription.cancel();
      await away.close();
      await rejected;
      await until('its sockets are closed', () => proxy.open === 0);
    });

    it('leaves no channel open behind lists and redeliveries of dead letters, and a deleted queue', async () => {
      const queue = numberedQueue();
      const broker = await open();
      const channels = async (): Promise<number> => (await rabbitmq.command('list_channels', 'pid')).split('\n').length;
      const received: number[] = [];
      await broker.consume(queue, ({ message, acknowledge, reject }) => {
        if (received.push(message.n) > 1) acknowledge();
        else reject(new HistoryError('BLOCK_REFUSED', 'no'));
      });
      await broker.publish(queue, { n: 1, size: 10 });
      await until('it is rejected', async () => (await broker.depth(queue)).deadLetters === 1);
      const before = await channels();
      for (let listed = 0; listed < 3; listed++) expect(await broker.deadLetters(queue)).toHaveLength(1);
      expect(await broker.redeliverDeadLetters(queue)).toBe(1);
      await until('it is delivered again', () => received.length === 2);
      await rabbitmq.command('delete_queue', queue.name);
      await broker.publish(queue, { n: 2, size: 10 });
      await until('a message of the new queue is delivered', () => received.includes(2));
      await until('no more channels are open than before', async () => (await channels()) <= before);
    });

    it('ignores the settlement of deliveries from a lost connection, which come again', async () => {
      const queue = numberedQueue();
      const broker = await throughProxy();
      const deliveries: { n: number; redelivered: boolean; acknowledge(): void }[] = [];
      await broker.consume(queue, ({ message, redelivered, acknowledge }) =>
        deliveries.push({ n: message.n, redelivered, acknowledge }),
      );
      for (const each of numbered(3, 10)) await broker.publish(queue, each);
      await until('the messages are delivered', () => deliveries.length === 3);
      proxy.cut();
      await until('the messages are delivered again', () => deliveries.length === 6);
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

    it('blocks publishers while the server is short of memory, and still settles deliveries', async () => {
      const queue = numberedQueue();
      const broker = await open();
      const acknowledging: (() => void)[] = [];
      await broker.consume(queue, ({ acknowledge }) => acknowledging.push(acknowledge));
      for (const each of numbered(5, 100)) await broker.publish(queue, each);
      await until('the messages are delivered', () => acknowledging.length === 5);
      await rabbitmq.command('set_vm_memory_high_watermark', '0.000001');
      const publishing: Promise<number>[] = [];
      let published = 0;
      const publishOne = (): Promise<number> => broker.publish(queue, { n: 6, size: 100 }).then(() => published++);
      await until('the alarm is reported', () => {
        // The server reports the alarm when a message arrives after it has set in.
        if (published === publishing.length) publishing.push(publishOne());
        return errors.some(({ message }) => message.includes('short of memory'));
      });
      const before = published;
      expect(before).toBeLessThan(publishing.length);
      const settled = (): void => acknowledging.splice(0).forEach((acknowledge) => acknowledge());
      await until('the deliveries are settled', async () => {
        settled();
        return (await broker.depth(queue)).messages === 0;
      });
      expect(published).toBe(before);
      await rabbitmq.command('set_vm_memory_high_watermark', '0.4');
      await Promise.all(publishing);
      await until('the last message is delivered', () => acknowledging.length === 1);
    });

    it('splits messages further when the server accepts none of split_bytes, and reports it', async () => {
      const broker = await open({ splitBytes: 16 * 1024 * 1024 });
      const queue = numberedQueue();
      const messages = [10, 9_000_000, 2_000, 5_000_000].map((size, index) => ({ n: index + 1, size }));
      const publishing = Promise.all(messages.map((each) => broker.publish(queue, each)));
      expect(await receiveAll(broker, queue, 4)).toBeGreaterThanOrEqual(4);
      await publishing;
      expect(errors.length).toBeGreaterThan(0);
      for (const { message } of errors)
        expect(message).toMatch(/broker.rabbitmq.split_bytes; continuing with \d+ bytes/);
    });

    it('waits for a server that is not up yet, and reports each attempt', async () => {
      await rabbitmq.kill();
      const opening = open();
      await until('three attempts failed', () => errors.length >= 3);
      await rabbitmq.restart();
      expect(errors.every(({ code }) => code === 'BROKER_UNAVAILABLE')).toBe(true);
      expect(errors[2]?.message).toMatch(/127.0.0.1:\d+.*; trying again in \d/);
      const broker = await opening;
      await broker.publish(numberedQueue(), { n: 1, size: 10 });
    });
  });
});
