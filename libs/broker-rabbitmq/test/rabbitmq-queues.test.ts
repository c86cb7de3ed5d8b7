import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '@antelope-history/broker';
import type { HistoryError } from '@antelope-history/schemas';
import { describeWithService } from '@antelope-history/services';
import { openRabbitmqBroker, type RabbitmqOptions } from '../src';
import { FaultyProxy } from './faulty-proxy';
import { numbered, numberedQueue, receive, receiveAll, until } from './numbered';
import { OwnVhost } from './own-vhost';

describeWithService(['rabbitmq'], (url) => {
  describe('queues on RabbitMQ', () => {
    let vhost: OwnVhost;
    let broker: Broker;
    let troubles: HistoryError[];

    const open = (options: Partial<RabbitmqOptions> = {}): Promise<Broker> => {
      const all = { ...vhost.options, splitBytes: 1024 * 1024, ...options };
      return openRabbitmqBroker(all, (error) => troubles.push(error), {});
    };
    beforeAll(async () => {
      vhost = await OwnVhost.create(url);
    });
    beforeEach(async () => {
      troubles = [];
      broker = await open();
    });
    afterEach(() => broker.close());
    afterAll(() => vhost.remove());

    it('are made again when somebody deletes them, and what is published then is not lost', async () => {
      const queue = numberedQueue();
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await broker.publish(queue, { n: 1, size: 10 });
      await until('the first', () => numbers.length === 1);
      await vhost.deleteQueue(queue.name);
      await Promise.all(numbered(20, 1_000).map((each) => broker.publish(queue, each)));
      await until('all of them', () => new Set(numbers).size === 20);
      expect(troubles.map(({ message }) => message).join()).toContain(`${queue.name} is gone; it is made again`);
    });

    it('are made again for a publisher, whose message is not lost with nobody there to take it', async () => {
      const queue = numberedQueue();
      await broker.publish(queue, { n: 1, size: 10 });
      await vhost.deleteQueue(queue.name);
      for (const each of numbered(3, 10)) await broker.publish(queue, each);
      expect(await receiveAll(broker, queue, 3)).toBe(3);
    });

    it('keep what does not decode with the dead letters, and deliver the next', async () => {
      const queue = numberedQueue();
      await broker.publish(queue, { n: 1, size: 10 });
      await vhost.put(queue.name, Buffer.from('garbage, not a message'));
      await broker.publish(queue, { n: 2, size: 10 });
      expect(await receiveAll(broker, queue, 2)).toBe(2);
      const letters = await broker.deadLetters(queue);
      expect(letters).toMatchObject([{ message: undefined, reason: { code: 'DECODE_FAILED' } }]);
      expect(troubles).toMatchObject([{ code: 'DECODE_FAILED' }]);
      expect(await vhost.peek(queue.deadLetter)).toMatchObject({
        'history-reason-code': 'DECODE_FAILED',
        'history-rejected-by-queue': queue.name,
        'history-rejected-at': expect.stringMatching(/^20\d\d-.*Z$/),
      });
    });

    it('keep what others refuse by hand, which can be sent again', async () => {
      const queue = numberedQueue();
      await broker.publish(queue, { n: 1, size: 10 });
      await vhost.refuse(queue.name);
      await until('it is a dead letter', async () => (await vhost.count(queue.deadLetter)) === 1);
      const letters = await broker.deadLetters(queue);
      expect(letters).toMatchObject([{ message: { n: 1 }, reason: { code: 'MESSAGE_GIVEN_UP' } }]);
      expect(await broker.resendDeadLetters(queue)).toBe(1);
      expect(Object.keys(await vhost.peek(queue.name))).toEqual([]);
      expect(await receiveAll(broker, queue, 1)).toBe(1);
    });

    it('give a consumer no more bytes than it may hold, though it may hold more messages', async () => {
      const size = 250_000;
      const queue = numberedQueue({ maxBytes: 4 * size, prefetch: 100 });
      const { deliveries } = await receive(broker, queue);
      let published = 0;
      const publishing = numbered(100, size).map((each) =>
        broker.publish(queue, each).then(() => {
          published++;
        }),
      );
      await until('it has what it may hold', () => deliveries.length === 4);
      await sleep(500);
      expect(deliveries).toHaveLength(4);
      // Four wait in the queue, four are delivered; the others came before the server heard that they are too many.
      expect(published).toBeGreaterThanOrEqual(8);
      expect(published).toBeLessThan(30);
      for (let settled = 0; settled < 100; settled++) {
        await until('the next', () => deliveries.length > settled);
        deliveries[settled]?.acknowledge();
      }
      await Promise.all(publishing);
      expect(deliveries.map(({ message }) => message.n)).toEqual(numbered(100, 0).map(({ n }) => n));
    });

    it('are asked about, not flooded, while they are full, and filled soon when there is room', async () => {
      const { hostname, port } = new URL(vhost.options.url);
      const proxy = await FaultyProxy.start(Number(port || 5672), hostname);
      const behind = await open({ url: `amqp://127.0.0.1:${proxy.port}` });
      const size = 900_000;
      const queue = numberedQueue({ maxMessages: 4 });
      for (const each of numbered(4, size)) await behind.publish(queue, each);
      const waiting = behind.publish(queue, { n: 5, size });
      await sleep(100);
      const before = proxy.passedBytes;
      await sleep(1_500);
      // It is sent again twice a second, whatever the looks say.
      expect(proxy.passedBytes - before).toBeLessThan(5 * size);
      const startedAt = performance.now();
      const { deliveries } = await receive(broker, queue);
      await waiting;
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      await until('all', () => deliveries.length === 5);
      await behind.close();
      await proxy.close();
    });

    it('get what several publish at once, each in its order', async () => {
      const queue = numberedQueue({ maxMessages: 200 });
      const others = [await open(), await open()];
      const publishers = [broker, ...others];
      const publishing = publishers.map((each, index) =>
        Promise.all(numbered(200, 100).map(({ n, size }) => each.publish(queue, { n: n + 1_000 * index, size }))),
      );
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await until('all', () => numbers.length >= 600, 20);
      await Promise.all(publishing);
      for (const index of publishers.keys()) {
        const own = numbers.filter((n) => Math.floor(n / 1_000) === index).map((n) => n % 1_000);
        expect(own).toEqual(numbered(200, 0).map(({ n }) => n));
      }
      await Promise.all(others.map((other) => other.close()));
    });
  });
});
