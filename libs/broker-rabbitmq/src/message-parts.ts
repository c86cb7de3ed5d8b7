import { constants } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfirmChannel, Message } from 'amqplib';
import type { QueueBounds } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connections';
import { HistoryError } from '@antelope-history/schemas';
import type { LiveChannel } from './live-channel';
import { partsArguments } from './queue-arguments';
import { isQueueGone } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';

/*
 * A message that is too large for one of the server's begins in the message itself and goes on in parts. They lie in a
 * durable queue of their own and are confirmed before the message is published, so whoever gets the message finds them.
 * Readers borrow them: they are taken without acknowledging and go back when the channel closes. The queue is deleted
 * when the message is acknowledged; with a dead letter it stays until the server lets it expire.
 */

/** Where the rest of a message is, as its headers say. */
export interface PartsReference {
  queue: string;
  /** How many parts, and how many bytes the whole message has. */
  count: number;
  bytes: number;
}

const QUEUE = 'history-parts-queue';
const COUNT = 'history-parts-count';
const BYTES = 'history-bytes';
/** Of a part: its place among the parts, from 0. */
const PLACE = 'history-part';

/** Parts under way to the server at once: each is copied on its way. */
const MOST_UNCONFIRMED_PARTS = 2;

/** What was given back by a connection that broke is there a moment later. */
const JOIN_TRIES = 6;
const JOIN_WAIT_MIN_MS = 100;
const JOIN_WAIT_MAX_MS = 2_000;

export type Headers = Record<string, unknown>;

export function partsQueueName({ name }: QueueBounds): string {
  return `${partsPrefix(name)}${randomUUID()}`;
}

function partsPrefix(name: string): string {
  return `${name}.parts.`;
}

export function toHeaders({ queue, count, bytes }: PartsReference): Headers {
  return { [QUEUE]: queue, [COUNT]: count, [BYTES]: bytes };
}

/**
 * Undefined when the message of a queue is whole. One that names another queue's parts, or has numbers that can not be,
 * was not written here, and its bytes will not decode: what it names is not touched.
 */
export function readReference({ properties }: Message, { name }: QueueBounds): PartsReference | undefined {
  const headers: Headers = properties.headers ?? {};
  const [queue, count, bytes] = [headers[QUEUE], Number(headers[COUNT]), Number(headers[BYTES])];
  if (typeof queue !== 'string' || !queue.startsWith(partsPrefix(name))) return undefined;
  if (![count, bytes].every((number) => Number.isInteger(number) && number >= 0)) return undefined;
  return { queue, count, bytes };
}

/** Puts `rest` into a queue of its own and resolves with their number when all are safe. */
export async function sendParts(
  { channel }: LiveChannel<ConfirmChannel>,
  { queue, rest, partBytes }: { queue: string; rest: Buffer; partBytes: number },
): Promise<number> {
  // Of a try that broke off.
  await channel.deleteQueue(queue);
  await channel.assertQueue(queue, { durable: true, arguments: partsArguments() });
  const count = Math.ceil(rest.length / partBytes);
  const unconfirmed: Promise<void>[] = [];
  for (let place = 0; place < count; place++) {
    if (unconfirmed.length >= MOST_UNCONFIRMED_PARTS) await unconfirmed.shift();
    const part = rest.subarray(place * partBytes, (place + 1) * partBytes);
    const sent = sendPart(channel, queue, place, part);
    // Awaited in its turn; until then its failure is not unhandled.
    sent.catch(() => undefined);
    unconfirmed.push(sent);
  }
  await Promise.all(unconfirmed);
  return count;
}

function sendPart(channel: ConfirmChannel, queue: string, place: number, part: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { persistent: true, headers: { [PLACE]: place } };
    channel.sendToQueue(queue, part, options, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

/**
 * The whole message. The parts stay where they are. Rejects with `MESSAGE_INCOMPLETE` when some are gone, or with what
 * ended the channel.
 */
export async function joinParts(
  connection: ServerConnection,
  content: Buffer,
  reference: PartsReference,
): Promise<Buffer> {
  const backoff = new Backoff(JOIN_WAIT_MIN_MS, JOIN_WAIT_MAX_MS);
  for (let tries = 0; tries < JOIN_TRIES; tries++) {
    if (tries > 0) await sleep(backoff.next());
    const joined = await borrowParts(connection, content, reference);
    if (joined) return joined;
  }
  throw new HistoryError(
    'MESSAGE_INCOMPLETE',
    `a message of ${reference.bytes} bytes lacks some of its ${reference.count} parts in ${reference.queue}`,
  );
}

/** Undefined when one is missing. */
async function borrowParts(
  connection: ServerConnection,
  content: Buffer,
  { queue, count, bytes }: PartsReference,
): Promise<Buffer | undefined> {
  if (bytes > constants.MAX_LENGTH) return undefined;
  const live = await connection.openChannel();
  try {
    const whole = Buffer.allocUnsafe(bytes);
    let end = content.copy(whole);
    for (let place = 0; place < count; place++) {
      const part = await live.within(live.channel.get(queue));
      if (!part || part.properties.headers?.[PLACE] !== place) return undefined;
      end += part.content.copy(whole, end);
    }
    return end === bytes ? whole : undefined;
  } catch (error) {
    if (isQueueGone(error)) return undefined;
    throw error;
  } finally {
    await live.close();
  }
}
