import type { QueueBounds } from '@antelope-history/broker';

/** A larger batch is not faster: the server syncs many messages to disk at once. */
const MAX_MESSAGES = 32;
/** The largest batch, as a share of the queue's bounds. */
const BATCH_SHARE = 1 / 8;

/** How many messages a publisher may send without waiting for their confirmation; it may always send one. */
export interface BatchLimit {
  messages: number;
  bytes: number;
}

/** The limit of a batch that is always allowed. */
export const ONE_MESSAGE: BatchLimit = { messages: 1, bytes: 0 };

/**
 * The limit of the next batch, when `waiting` messages of about `averageBytes` bytes wait in the queue.
 *
 * A full queue may refuse one message of a batch and accept the next, which breaks their order. So a batch must fit into the
 * queue: above half of the queue's bounds it is one message, below at most an eighth of them. The upper half is left to other
 * publishers that have read the same count: four together do not fill it.
 */
export function batchLimit(
  { maxMessages, maxBytes }: Pick<QueueBounds, 'maxMessages' | 'maxBytes'>,
  { waiting, averageBytes }: { waiting: number; averageBytes: number },
): BatchLimit {
  return {
    messages: Math.min(maxMessages / 2 - waiting, maxMessages * BATCH_SHARE, MAX_MESSAGES),
    bytes: Math.min(maxBytes / 2 - waiting * averageBytes, maxBytes * BATCH_SHARE),
  };
}

/** The first messages, as many as the limit allows, and at least one. */
export function takeBatch<T>(messages: Iterable<T>, limit: BatchLimit, sizeOf: (message: T) => number): T[] {
  const batch: T[] = [];
  let bytes = 0;
  for (const message of messages) {
    bytes += sizeOf(message);
    if (batch.length > 0 && (batch.length + 1 > limit.messages || bytes > limit.bytes)) break;
    batch.push(message);
  }
  return batch;
}
