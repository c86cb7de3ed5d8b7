import type { GetMessage } from 'amqplib';
import { MOST_DEAD_LETTERS, type DeadLetter, type Queue, type QueueBounds } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { originalHeaders, readReason } from './dead-letter';
import type { LiveChannel } from './live-channel';
import { joinParts, readReference, type Headers } from './message-parts';
import type { ServerConnection } from './server-connection';

/** Lists dead letters: they are taken without acknowledging, and go back when the channel closes. */
export async function listDeadLetters<T>(connection: ServerConnection, queue: Queue<T>): Promise<DeadLetter<T>[]> {
  return withChannel(connection, queue, async (live) => {
    const letters: DeadLetter<T>[] = [];
    let bytes = 0;
    while (letters.length < MOST_DEAD_LETTERS && bytes <= queue.maxBytes) {
      const letter = await live.within(live.channel.get(queue.deadLetter));
      if (!letter) break;
      letters.push({ message: await readMessage(connection, queue, letter), reason: readReason(letter) });
      bytes += readReference(letter, queue)?.bytes ?? letter.content.length;
    }
    return letters;
  });
}

/** Publishes the dead letters that there are now again, and forgets each when it is safe. */
export async function resendDeadLetters(
  connection: ServerConnection,
  queue: QueueBounds,
  publish: (content: Buffer, headers: Headers) => Promise<void>,
): Promise<number> {
  return withChannel(connection, queue, async (live) => {
    const { messageCount } = await live.channel.checkQueue(queue.deadLetter);
    for (let sent = 0; sent < messageCount; sent++) {
      const letter = await live.within(live.channel.get(queue.deadLetter));
      if (!letter) return sent;
      await publish(letter.content, originalHeaders(letter));
      live.channel.ack(letter);
    }
    return messageCount;
  });
}

async function readMessage<T>(
  connection: ServerConnection,
  queue: Queue<T>,
  letter: GetMessage,
): Promise<T | undefined> {
  const parts = readReference(letter, queue);
  try {
    return queue.codec.decode(parts ? await joinParts(connection, letter.content, parts) : letter.content);
  } catch (error) {
    // What does not decode or is not complete may be a dead letter for that reason.
    if (error instanceof HistoryError) return undefined;
    throw error;
  }
}

async function withChannel<T>(
  connection: ServerConnection,
  queue: QueueBounds,
  use: (live: LiveChannel) => Promise<T>,
): Promise<T> {
  await connection.declare(queue);
  const live = await connection.openChannel();
  try {
    return await use(live);
  } finally {
    await live.close();
  }
}
