import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Broker, Queue } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithService } from '@antelope-history/servers';
import { openRabbitmqBroker } from '../src';
import { FaultyProxy } from './faulty-proxy';
import { numberedQueue, receive, receiveAll, until, type Numbered } from './numbered';
import { OwnVhost } from './own-vhost';

const MIB = 1024 * 1024;
const SPLIT_BYTES = MIB;
jest.setTimeout(120_000);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of referenced buffers: without a collection, garbage would count as well. */
function bytesHeld(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** A background thread frees buffers after a collection, seconds later on a busy machine. */
const FREED_WITHIN_MS = 10_000;

/** The bytes held now, as soon as they are at most `limit`, and after the longest wait otherwise. */
async function heldWithin(limit: number): Promise<number> {
  const deadline = performance.now() + FREED_WITHIN_MS;
  let held = bytesHeld();
  while (held > limit && performance.now() < deadline) {
    await sleep(50);
    held = bytesHeld();
  }
  return held;
}

/** The bytes held when the buffers of earlier tests are freed, which takes several collections. */
async function bytesHeldAtRest(): Promise<number> {
  let held = bytesHeld();
  for (let unchanged = 0; unchanged < 5; unchanged++) {
    await sleep(100);
    const now = bytesHeld();
    if (now !== held) unchanged = 0;
    held = now;
  }
  return held;
}

describeWithService(['rabbitmq'], (url) => {
  describe('large messages on RabbitMQ', () => {
    let vhost: OwnVhost;
    let broker: Broker;
    let errors: HistoryError[];

    const open = (splitBytes: number): Promise<Broker> =>
      openRabbitmqBroker({ ...vhost.options, splitBytes }, (error) => errors.push(error), {});
    beforeAll(async () => {
      vhost = await OwnVhost.create(url);
    });
    beforeEach(async () => {
      errors = [];
      broker = await open(SPLIT_BYTES);
    });
    afterEach(() => broker.close());
    afterAll(() => vhost.remove());

    /** The parts queue of the first message. */
    const partsIn = async ({ name }: Queue<Numbered>): Promise<string> =>
      String((await vhost.peek(name))['history-parts-queue']);

    it('keep their parts when they are rejected and redelivered, and lose them when they are acknowledged', async () => {
      const queue = numberedQueue();
      const message = { n: 1, size: 4 * SPLIT_BYTES };
      await broker.publish(queue, message);
      const parts = await partsIn(queue);
      expect(await vhost.count(parts)).toBe(3);
      const { cancel } = await receive(broker, queue, ({ reject }) => reject(new HistoryError('BLOCK_REFUSED', 'no')));
      await until('the message is rejected', async () => (await vhost.count(queue.deadLetter)) === 1);
      await cancel();
      expect(await vhost.count(parts)).toBe(3);
      expect(await broker.deadLetters(queue)).toMatchObject([{ message, reason: { code: 'BLOCK_REFUSED' } }]);
      expect(await broker.redeliverDeadLetters(queue)).toBe(1);
      expect(await receiveAll(broker, queue, 1)).toBe(1);
      await until('the parts queue is deleted', async () => (await vhost.count(parts)) === undefined);
    });

    it('lose their parts when they are rejected again and again, so that the parts stay few', async () => {
      const queue = numberedQueue({ maxBytes: 3 * MIB });
      const parts: string[] = [];
      for (let n = 1; n <= 6; n++) {
        await broker.publish(queue, { n, size: 1.5 * MIB });
        parts.push(await partsIn(queue));
        const { cancel } = await receive(broker, queue, ({ reject }) =>
          reject(new HistoryError('BLOCK_REFUSED', 'no')),
        );
        await until('the message is rejected', async () => (await broker.depth(queue)).messages === 0);
        await cancel();
      }
      const counts = async () => Promise.all(parts.map((name) => vhost.count(name)));
      await until('parts are deleted', async () => (await counts()).filter((count) => count !== undefined).length <= 2);
      expect(await counts()).toEqual([1, 1, undefined, undefined, undefined, undefined]);
      expect((await broker.deadLetters(queue)).every(({ reason }) => reason.code === 'BLOCK_REFUSED')).toBe(true);
    });

    it('stay whole when a broker redelivers them that splits at fewer bytes', async () => {
      const smaller = await open(64 * 1024);
      const queue = numberedQueue();
      const rejected = await receive(broker, queue, ({ reject }) => reject(new HistoryError('BLOCK_REFUSED', 'no')));
      for (const [index, size] of [500_000, 4 * SPLIT_BYTES].entries())
        await broker.publish(queue, { n: index + 1, size });
      await until('both are rejected', async () => (await vhost.count(queue.deadLetter)) === 2);
      await rejected.cancel();
      expect(await smaller.redeliverDeadLetters(queue)).toBe(2);
      expect(await receiveAll(smaller, queue, 2)).toBe(2);
      expect(errors).toEqual([]);
      await smaller.close();
    });

    it('are listed as dead letters until their parts exceed maxBytes', async () => {
      const queue = numberedQueue({ maxBytes: 2.5 * MIB });
      const { cancel } = await receive(broker, queue, ({ reject }) => reject(new HistoryError('BLOCK_REFUSED', 'no')));
      for (const n of [1, 2]) await broker.publish(queue, { n, size: 4 * MIB });
      await until('both are rejected', async () => (await vhost.count(queue.deadLetter)) === 2);
      await cancel();
      expect((await broker.deadLetters(queue)).map(({ message }) => message?.n)).toEqual([1]);
      expect(await broker.redeliverDeadLetters(queue)).toBe(2);
      expect(await receiveAll(broker, queue, 2)).toBe(2);
    });

    it('have parts of their own each time when the server does not confirm them', async () => {
      const { hostname, port } = new URL(vhost.options.url);
      const proxy = await FaultyProxy.start(Number(port || 5672), hostname);
      const options = {
        ...vhost.options,
        url: `amqp://127.0.0.1:${proxy.port}`,
        splitBytes: SPLIT_BYTES,
        replySeconds: 1,
      };
      const behind = await openRabbitmqBroker(options, () => undefined, {});
      const queue = numberedQueue({ maxMessages: 2, prefetch: 1 });
      for (const n of [1, 2]) await broker.publish(queue, { n, size: 10 });
      const size = 2.5 * MIB;
      const publishing = behind.publish(queue, { n: 3, size });
      await until('it is refused with its parts confirmed', () => proxy.passedBytes > size);
      proxy.fault = 'unconfirmed';
      const { numbers } = await receive(broker, queue, ({ acknowledge }) => acknowledge());
      await publishing;
      await until('it is delivered for each time that it was published', () => numbers.length === 4);
      expect(numbers).toEqual([1, 2, 3, 3]);
      expect(errors).toEqual([]);
      await behind.close();
      await proxy.close();
    });

    it('are dead-lettered when parts are lost, and do not block the queue', async () => {
      const queue = numberedQueue();
      await broker.publish(queue, { n: 2, size: 4 * SPLIT_BYTES });
      await vhost.drop(await partsIn(queue));
      await broker.publish(queue, { n: 3, size: 4 * SPLIT_BYTES });
      await broker.publish(queue, { n: 1, size: 10 });
      expect(await receiveAll(broker, queue, 1)).toBe(2);
      const deadLetters = await broker.deadLetters(queue);
      expect(deadLetters).toMatchObject([{ message: undefined, reason: { code: 'MESSAGE_INCOMPLETE' } }]);
      expect(errors).toMatchObject([{ code: 'MESSAGE_INCOMPLETE' }]);
    });

    it('do not touch a queue that is not their own parts queue', async () => {
      const [queue, other] = [numberedQueue(), numberedQueue()];
      await broker.publish(other, { n: 7, size: 10 });
      const { messages } = await broker.depth(queue);
      expect(messages).toBe(0);
      for (const headers of [
        { 'history-parts-queue': other.name, 'history-parts-count': 1, 'history-bytes': 20 },
        { 'history-parts-queue': `${queue.name}.parts.x`, 'history-parts-count': -1, 'history-bytes': 'many' },
      ]) {
        await vhost.put(queue.name, Buffer.from('garbage'), headers);
      }
      await broker.publish(queue, { n: 1, size: 10 });
      expect(await receiveAll(broker, queue, 1)).toBe(1);
      expect((await broker.deadLetters(queue)).map(({ reason }) => reason.code)).toEqual([
        'DECODE_FAILED',
        'DECODE_FAILED',
      ]);
      expect(await broker.depth(other)).toMatchObject({ messages: 1 });
    });

    it('may exceed max_message_size of the server', async () => {
      const eightMib = await open(8 * MIB);
      const queue = numberedQueue();
      // The default max_message_size is 128 MiB.
      await eightMib.publish(queue, { n: 1, size: 140_000_000 });
      expect(await receiveAll(eightMib, queue, 1)).toBe(1);
      await eightMib.close();
    });

    it('pass in hundreds of megabytes with a small part of them in memory', async () => {
      const queue = numberedQueue({ maxBytes: 16 * MIB });
      const [count, size] = [48, 5 * MIB];
      const before = await bytesHeldAtRest();
      const most = before + 2 * queue.maxBytes;
      const receiving = receiveAll(broker, queue, count);
      for (let n = 1; n <= count; n++) {
        await broker.publish(queue, { n, size });
        if (n % 8 === 0) expect(await heldWithin(most)).toBeLessThan(most);
      }
      expect(await receiving).toBe(count);
      expect(await heldWithin(before + size)).toBeLessThan(before + size);
      const atRest = await bytesHeldAtRest();
      const held = Buffer.alloc(size);
      // The measurement counts a buffer that is referenced. A socket may free a few kilobytes meanwhile.
      expect((await bytesHeldAtRest()) - atRest).toBeGreaterThan(held.length / 2);
    });
  });
});
