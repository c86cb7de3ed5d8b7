import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithService } from '@antelope-history/servers';
import { openRabbitmqBroker, type RabbitmqOptions } from '../src';
import { FaultyProxy } from './faulty-proxy';
import { numbered, numberedQueue, receive, receiveAll, until } from './numbered';
import { OwnVhost } from './own-vhost';

jest.setTimeout(120_000);

/** The least time that twelve polls of a full queue take, after which its first message is sent again. */
const MIN_POLLING_MS = 240;

describeWithService(['rabbitmq'], (url) => {
  describe('queues on RabbitMQ', () => {
    let vhost: OwnVhost;
    let broker: Broker;
    let errors: HistoryError[];

    const open = (options: Partial<RabbitmqOptions> = {}): Promise<Broker> => {
      const all = { ...vhost.options, splitBytes: 1024 * 1024, ...options };
      return openRabbitmqBroker(all, (error) => errors.push(error), {});
    };
    const openBehindProxy = async (): Promise<{ proxy: FaultyProxy; behind: Broker }> => {
      const { hostname, port } = new URL(vhost.options.url);
      const proxy = await FaultyProxy.start(Number(port || 5672), hostname);
      return { proxy, behind: await open({ url: `amqp://127.0.0.1:${proxy.port}` }) };
    };
    beforeAll(async () => {
      vhost = await OwnVhost.create(url);
    });
    beforeEach(async () => {
      errors = [];
      broker = await open();
    });
    afterEach(() => broker.close());
    afterAll(() => vhost.remove());

    it('are created again when they are deleted, without loss of what is published then', async () => {
      const queue = numberedQueue();
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await broker.publish(queue, { n: 1, size: 10 });
      await until('the first message is delivered', () => numbers.length === 1);
      await vhost.deleteQueue(queue.name);
      await Promise.all(numbered(20, 1_000).map((each) => broker.publish(queue, each)));
      await until('all messages are delivered', () => new Set(numbers).size === 20);
      expect(errors.map(({ message }) => message).join()).toContain(`${queue.name} was deleted; it is created again`);
    });

    it('are created again for a publisher without a consumer, without loss of its message', async () => {
      const queue = numberedQueue();
      await broker.publish(queue, { n: 1, size: 10 });
      await vhost.deleteQueue(queue.name);
      for (const each of numbered(3, 10)) await broker.publish(queue, each);
      expect(await receiveAll(broker, queue, 3)).toBe(3);
    });

    it('are created again for a consumer that begins after they are deleted', async () => {
      const queue = numberedQueue();
      await broker.depth(queue);
      await vhost.deleteQueue(queue.name);
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await broker.publish(queue, { n: 1, size: 10 });
      await until('the message is delivered', () => numbers.length === 1);
    });

    it('dead-letter a message that does not decode, and deliver the next one', async () => {
      const queue = numberedQueue();
      await broker.publish(queue, { n: 1, size: 10 });
      await vhost.put(queue.name, Buffer.from('garbage, not a message'));
      await broker.publish(queue, { n: 2, size: 10 });
      expect(await receiveAll(broker, queue, 2)).toBe(2);
      const deadLetters = await broker.deadLetters(queue);
      expect(deadLetters).toMatchObject([{ message: undefined, reason: { code: 'DECODE_FAILED' } }]);
      expect(errors).toMatchObject([{ code: 'DECODE_FAILED' }]);
      expect(await vhost.peek(queue.deadLetter)).toMatchObject({
        'history-reason-code': 'DECODE_FAILED',
        'history-rejected-by-queue': queue.name,
        'history-rejected-at': expect.stringMatching(/^20\d\d-.*Z$/),
      });
    });

    it('keep messages that an operator rejects, which can be redelivered', async () => {
      const queue = numberedQueue();
      await broker.publish(queue, { n: 1, size: 10 });
      await vhost.rejectFirst(queue.name);
      await until('the server dead-letters it', async () => (await vhost.count(queue.deadLetter)) === 1);
      const deadLetters = await broker.deadLetters(queue);
      expect(deadLetters).toMatchObject([{ message: { n: 1 }, reason: { code: 'MESSAGE_GIVEN_UP' } }]);
      expect(await broker.redeliverDeadLetters(queue)).toBe(1);
      // The server itself adds this header when it delivers.
      expect(Object.keys(await vhost.peek(queue.name))).toEqual(['x-delivery-count']);
      expect(await receiveAll(broker, queue, 1)).toBe(1);
    });

    it('give a consumer no more than maxBytes, below its prefetch', async () => {
      const size = 250_000;
      const queue = numberedQueue({ maxBytes: 4 * size, prefetch: 100 });
      const { deliveries } = await receive(broker, queue);
      let published = 0;
      const publishing = numbered(100, size).map((each) =>
        broker.publish(queue, each).then(() => {
          published++;
        }),
      );
      // Four wait in the queue and four are delivered; the others arrived before the server-side consumer was cancelled.
      await until('the queue is full behind the consumer', () => deliveries.length === 4 && published >= 8);
      await sleep(500);
      expect(deliveries).toHaveLength(4);
      expect(published).toBeLessThan(50);
      for (let settled = 0; settled < 100; settled++) {
        await until('the next message is delivered', () => deliveries.length > settled);
        deliveries[settled]?.acknowledge();
      }
      await Promise.all(publishing);
      expect(deliveries.map(({ message }) => message.n)).toEqual(numbered(100, 0).map(({ n }) => n));
    });

    it('are polled, not flooded, while they are full, and filled soon when there is room', async () => {
      const { proxy, behind } = await openBehindProxy();
      const size = 900_000;
      const queue = numberedQueue({ maxMessages: 4 });
      for (const each of numbered(4, size)) await behind.publish(queue, each);
      const waiting = behind.publish(queue, { n: 5, size });
      await sleep(100);
      const [before, startedAt] = [proxy.passedBytes, performance.now()];
      await sleep(1_500);
      const attempts = 2 + (performance.now() - startedAt) / MIN_POLLING_MS;
      expect(proxy.passedBytes - before).toBeLessThan(attempts * size);
      const { deliveries } = await receive(broker, queue);
      const roomAt = performance.now();
      await waiting;
      expect(performance.now() - roomAt).toBeLessThan(10_000);
      await until('all messages are delivered', () => deliveries.length === 5);
      await behind.close();
      await proxy.close();
    });

    it('are published to over another channel when one refuses everything, as after the loss of its node', async () => {
      const { proxy, behind } = await openBehindProxy();
      const queue = numberedQueue();
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await behind.publish(queue, { n: 1, size: 10 });
      proxy.fault = 'refusing';
      await Promise.all(numbered(5, 10).map((each) => behind.publish(queue, each)));
      expect(proxy.fault).toBe('none');
      await until('all messages are delivered', () => new Set(numbers).size === 5);
      expect(errors).toEqual([]);
      await behind.close();
      await proxy.close();
    });

    it('are published to again after the connection of an idle publisher was lost', async () => {
      const { proxy, behind } = await openBehindProxy();
      const queue = numberedQueue();
      await behind.publish(queue, { n: 1, size: 10 });
      proxy.cut();
      await until('both connections are lost', () => errors.length >= 2);
      // The publisher has nothing to send, and rests soon.
      await sleep(500);
      await behind.publish(queue, { n: 2, size: 10 });
      expect(await receiveAll(broker, queue, 2)).toBe(2);
      await behind.close();
      await proxy.close();
    });

    it('leave nothing with a consumer that was cancelled while the server was away', async () => {
      const { proxy, behind } = await openBehindProxy();
      const queue = numberedQueue({ prefetch: 2 });
      const cancelled = await receive(behind, queue);
      proxy.fault = 'stalled';
      proxy.cut();
      await until('both connections are lost', () => errors.length >= 2);
      // The consumer waits for the next connection by then.
      await sleep(500);
      await cancelled.cancel();
      proxy.fault = 'none';
      await behind.depth(queue);
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      for (const each of numbered(20, 10)) await broker.publish(queue, each);
      // The cancelled consumer gives back at once what it may still get.
      await until('all messages are delivered', () => numbers.length === 20);
      await behind.close();
      await proxy.close();
    });

    it('return what was rejected when the dead letter is not confirmed, and cancel their consumer all the same', async () => {
      const { proxy, behind } = await openBehindProxy();
      const queue = numberedQueue();
      const { deliveries, cancel } = await receive(behind, queue);
      await behind.publish(queue, { n: 1, size: 10 });
      await until('the message is delivered', () => deliveries.length === 1);
      proxy.fault = 'unconfirmed';
      deliveries[0]?.reject(new HistoryError('BLOCK_REFUSED', 'no'));
      await cancel();
      // Otherwise the publisher has given the connection up meanwhile, after a minute.
      expect(proxy.fault).toBe('unconfirmed');
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await until('the message is delivered again', () => numbers.length === 1);
      await behind.close();
      await proxy.close();
    });

    it('keep their dead letters when the broker closes while they are full', async () => {
      const queue = numberedQueue({ maxMessages: 2 });
      await broker.publish(queue, { n: 1, size: 10 });
      const { cancel } = await receive(broker, queue, ({ reject }) => reject(new HistoryError('BLOCK_REFUSED', 'no')));
      await until('it is rejected', async () => (await vhost.count(queue.deadLetter)) === 1);
      await cancel();
      for (const n of [2, 3]) await broker.publish(queue, { n, size: 10 });
      const redelivering = expect(broker.redeliverDeadLetters(queue)).rejects.toMatchObject({ code: 'STOPPED' });
      await until('the dead letter is fetched', async () => (await vhost.count(queue.deadLetter)) === 0);
      await broker.close();
      await redelivering;
      const next = await open();
      await until('the dead letter is back', async () => (await next.depth(queue)).deadLetters === 1);
      expect((await next.depth(queue)).messages).toBe(2);
      await next.close();
    });

    it('leave no timer behind a reply, which would end the connection', async () => {
      const queue = numberedQueue();
      const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
      await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await broker.publish(queue, { n: 1, size: 10 });
      const before = timers();
      for (const each of numbered(20, 10)) await broker.publish(queue, each);
      await broker.depth(queue);
      await until('no more timers run than before', () => timers() <= before);
    });

    it('get the messages of several publishers at once, in the order of each', async () => {
      const queue = numberedQueue({ maxMessages: 200 });
      const others = [await open(), await open()];
      const publishers = [broker, ...others];
      const publishing = publishers.map((each, index) =>
        Promise.all(numbered(200, 100).map(({ n, size }) => each.publish(queue, { n: n + 1_000 * index, size }))),
      );
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await until('all messages are delivered', () => numbers.length >= 600);
      await Promise.all(publishing);
      for (const index of publishers.keys()) {
        const own = numbers.filter((n) => Math.floor(n / 1_000) === index).map((n) => n % 1_000);
        expect(own).toEqual(numbered(200, 0).map(({ n }) => n));
      }
      await Promise.all(others.map((other) => other.close()));
    });
  });
});
