import { setTimeout as sleep } from 'node:timers/promises';
import type { GetMessage } from 'amqplib';
import { MAX_DEAD_LETTERS, type DeadLetter, type Queue, type QueueBounds } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { originalHeaders, readReason } from './dead-letter-headers';
import { joinParts, readReference, type Headers } from './message-parts';
import type { ServerChannel } from './server-channel';
import type { ServerConnection } from './server-connection';

/** Another process may redeliver or delete them meanwhile, so that there are fewer for ever. */
const RETURN_LIMIT_MS = 5_000;
const RETURN_POLL_MS = 10;

/**
 * Lists dead letters. They are fetched without acknowledgement and then returned one by one: what a quorum queue returns when the
 * channel closes is in no order.
 */
export async function listDeadLetters<T>(connection: ServerConnection, queue: Queue<T>): Promise<DeadLetter<T>[]> {
  return withChannel(connection, queue, async (channel) => {
    const deadLetters: DeadLetter<T>[] = [];
    const allFetched: GetMessage[] = [];
    let bytes = 0;
    while (deadLetters.length < MAX_DEAD_LETTERS && bytes <= queue.maxBytes) {
      const fetched = await channel.within(channel.amqp.get(queue.deadLetter));
      if (!fetched) break;
      allFetched.push(fetched);
      deadLetters.push({ message: await readMessage(connection, queue, fetched), reason: readReason(fetched) });
      bytes += readReference(fetched, queue)?.bytes ?? fetched.content.length;
    }
    for (const fetched of allFetched) channel.amqp.nack(fetched, false, true);
    const notFetched = allFetched.at(-1)?.fields.messageCount ?? 0;
    await untilReturned(channel, queue, allFetched.length + notFetched);
    return deadLetters;
  });
}

/**
 * Waits until the queue has all `count` messages. A quorum queue returns messages some time after the server was told to: a redelivery that
 * follows would not see them all.
 */
async function untilReturned(channel: ServerChannel, { deadLetter }: QueueBounds, count: number): Promise<void> {
  const end = performance.now() + RETURN_LIMIT_MS;
  while (performance.now() < end) {
    const { messageCount } = await channel.within(channel.amqp.checkQueue(deadLetter));
    if (messageCount >= count) return;
    await sleep(RETURN_POLL_MS);
  }
}

/** Publishes the present dead letters to their queue and acknowledges each when that is confirmed; returns their number. */
export async function redeliverDeadLetters(
  connection: ServerConnection,
  queue: QueueBounds,
  publish: (content: Buffer, headers: Headers) => Promise<void>,
): Promise<number> {
  return withChannel(connection, queue, async (channel) => {
    const { messageCount } = await channel.within(channel.amqp.checkQueue(queue.deadLetter));
    for (let sent = 0; sent < messageCount; sent++) {
      const fetched = await channel.within(channel.amqp.get(queue.deadLetter));
      if (!fetched) return sent;
      await publish(fetched.content, originalHeaders(fetched));
      channel.amqp.ack(fetched);
    }
    return messageCount;
  });
}

async function readMessage<T>(
  connection: ServerConnection,
  queue: Queue<T>,
  fetched: GetMessage,
): Promise<T | undefined> {
  const parts = readReference(fetched, queue);
  try {
    return queue.codec.decode(parts ? await joinParts(connection, fetched.content, parts) : fetched.content);
  } catch (error) {
    // Messages are also rejected because they do not decode or are incomplete.
    if (error instanceof HistoryError) return undefined;
    throw error;
  }
}

async function withChannel<T>(
  connection: ServerConnection,
  queue: QueueBounds,
  use: (channel: ServerChannel) => Promise<T>,
): Promise<T> {
  await connection.declare(queue);
  const channel = await connection.openChannel();
  try {
    return await use(channel);
  } finally {
    await channel.close();
  }
}
