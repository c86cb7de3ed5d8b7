import { constants } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfirmChannel, GetMessage, Message } from 'amqplib';
import type { QueueBounds } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import { partsArguments, type QueueType } from './queue-arguments';
import { isQueueGone } from './rabbitmq-errors';
import type { ServerChannel } from './server-channel';
import type { ServerConnection } from './server-connection';

/*
 * A message that is larger than `splitBytes` carries its first bytes itself; the rest follows in parts, in a durable queue of
 * their own. The parts are confirmed before the message is published, so every receiver of the message finds them. A receiver
 * fetches them without acknowledgement, so the server returns them when the channel closes, in any order: each part names its
 * place. The parts queue is deleted when the message is acknowledged. The parts of a dead letter stay until the server lets their
 * queue expire, unless there are many: `ConsumeSession`.
 */

/** Where the parts of a message are, according to its headers. */
export interface PartsReference {
  queue: string;
  /** Number of parts. */
  count: number;
  /** Size of the whole message. */
  bytes: number;
}

const QUEUE = 'history-parts-queue';
const COUNT = 'history-parts-count';
const BYTES = 'history-bytes';
/** Header of a part: where it begins in the whole message, in bytes. */
const OFFSET = 'history-part-offset';

/** Limit of unconfirmed parts of one message: the client copies each. */
const MAX_UNCONFIRMED_PARTS = 2;

/** The server returns the parts that a lost connection had fetched, but not at once. */
const JOIN_ATTEMPTS = 6;
const JOIN_WAIT_MIN_MS = 100;
const JOIN_WAIT_MAX_MS = 2_000;
/**
 * Limit for one part: a quorum queue without a leader answers when it has one. A server that was killed within seconds of the
 * queue's declaration can have forgotten its member of it; the queue then never has a leader (seen with RabbitMQ 3.10).
 */
const PART_LIMIT_MS = 4_000;
/**
 * No attempt begins after this time. The attempt at a queue without a leader takes six seconds, with the close of its channel, and the
 * messages behind it wait meanwhile.
 */
const JOIN_LIMIT_MS = 15_000;

const MIN_SPLIT_BYTES = 64 * 1024;

export type Headers = Record<string, unknown>;

/** The size above which messages are split: as configured, or less when the server's `max_message_size` is smaller. */
export class SplitSize {
  constructor(private current: number) {}

  get bytes(): number {
    return this.current;
  }

  /** Halves the size; returns false when it is the minimum already. */
  halve(): boolean {
    if (this.current <= MIN_SPLIT_BYTES) return false;
    this.current = Math.max(MIN_SPLIT_BYTES, Math.floor(this.current / 2));
    return true;
  }
}

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
 * Undefined for a message that has no parts. Also undefined when the headers name a queue that does not belong to the message's
 * queue, or hold impossible numbers: this broker did not write them, so the named queue must not be touched.
 */
export function readReference({ properties }: Message, { name }: QueueBounds): PartsReference | undefined {
  const headers: Headers = properties.headers ?? {};
  const [queue, count, bytes] = [headers[QUEUE], Number(headers[COUNT]), Number(headers[BYTES])];
  if (typeof queue !== 'string' || !queue.startsWith(partsPrefix(name))) return undefined;
  if (![count, bytes].every((number) => Number.isInteger(number) && number >= 0)) return undefined;
  return { queue, count, bytes };
}

/** What `sendParts` sends: all bytes of a message after the first `headBytes`. */
export interface PartsToSend {
  queue: string;
  queueType: QueueType;
  body: Buffer;
  headBytes: number;
  partBytes: number;
}

/**
 * Publishes the parts of a message to a new queue; resolves with the number of parts when all are confirmed. Rejects as
 * `ServerChannel.within`.
 */
export async function sendParts(
  channel: ServerChannel<ConfirmChannel>,
  { queue, queueType, body, headBytes, partBytes }: PartsToSend,
): Promise<number> {
  const { amqp } = channel;
  // Removes the parts of an attempt that failed.
  await channel.within(amqp.deleteQueue(queue));
  await channel.within(amqp.assertQueue(queue, { durable: true, arguments: partsArguments(queueType) }));
  let count = 0;
  const unconfirmed: Promise<void>[] = [];
  for (let offset = headBytes; offset < body.length; offset += partBytes, count++) {
    const [first] = unconfirmed;
    if (first && unconfirmed.length >= MAX_UNCONFIRMED_PARTS) {
      await channel.within(first);
      void unconfirmed.shift();
    }
    const sent = sendPart(amqp, queue, offset, body.subarray(offset, offset + partBytes));
    // The result is awaited later; until then a rejection would count as unhandled.
    sent.catch(() => undefined);
    unconfirmed.push(sent);
  }
  for (const sent of unconfirmed) await channel.within(sent);
  return count;
}

function sendPart(amqp: ConfirmChannel, queue: string, offset: number, part: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { persistent: true, headers: { [OFFSET]: offset } };
    amqp.sendToQueue(queue, part, options, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

/**
 * Fetches the parts and resolves with the whole message; the parts stay in their queue. Rejects with `MESSAGE_INCOMPLETE` when parts are
 * missing, or with the reason why the channel ended.
 */
export async function joinParts(
  connection: ServerConnection,
  content: Buffer,
  reference: PartsReference,
): Promise<Buffer> {
  const backoff = new Backoff(JOIN_WAIT_MIN_MS, JOIN_WAIT_MAX_MS);
  const startedAt = performance.now();
  for (let attempt = 0; attempt < JOIN_ATTEMPTS && performance.now() - startedAt < JOIN_LIMIT_MS; attempt++) {
    if (attempt > 0) await sleep(backoff.next());
    const joined = await fetchParts(connection, content, reference);
    if (joined) return joined;
  }
  throw new HistoryError(
    'MESSAGE_INCOMPLETE',
    `a message of ${reference.bytes} bytes lacks some of its ${reference.count} parts in ${reference.queue}`,
  );
}

/** Undefined when a part is missing. */
async function fetchParts(
  connection: ServerConnection,
  content: Buffer,
  { queue, count, bytes }: PartsReference,
): Promise<Buffer | undefined> {
  if (bytes > constants.MAX_LENGTH) return undefined;
  const channel = await connection.openChannel();
  try {
    const whole = Buffer.allocUnsafe(bytes);
    let copied = content.copy(whole);
    const offsets = new Set<number>();
    while (offsets.size < count) {
      const part = await fetchPart(channel, queue);
      if (!part) return undefined;
      const offset = Number(part.properties.headers?.[OFFSET]);
      if (!(offset >= content.length && offset < bytes) || offsets.has(offset)) return undefined;
      offsets.add(offset);
      copied += part.content.copy(whole, offset);
    }
    return copied === bytes ? whole : undefined;
  } catch (error) {
    if (isQueueGone(error)) return undefined;
    throw error;
  } finally {
    await channel.close();
  }
}

/** The next part; false when the queue is empty or does not answer in time. */
async function fetchPart(channel: ServerChannel, queue: string): Promise<GetMessage | false> {
  const fetched = new AbortController();
  // A timer that runs on would hold the part until it ends.
  const late = sleep(PART_LIMIT_MS, false as const, { ref: false, signal: fetched.signal }).catch(() => false as const);
  try {
    return await channel.within(Promise.race([channel.amqp.get(queue), late]));
  } finally {
    fetched.abort();
  }
}
