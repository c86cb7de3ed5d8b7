import { MAX_DEAD_LETTERS, type QueueBounds } from '@antelope-history/broker';

const WEEK_MS = 7 * 24 * 3_600 * 1_000;

/**
 * The arguments of a queue of the topology. The type is classic, whatever the virtual host's default: a quorum queue may return
 * a requeued message to its end, and drops it after 20 deliveries. A full queue refuses new messages instead of dropping old ones.
 */
export function queueArguments({ maxMessages, maxBytes, deadLetter }: QueueBounds): Record<string, string | number> {
  return {
    'x-queue-type': 'classic',
    'x-max-length': maxMessages,
    'x-max-length-bytes': maxBytes,
    'x-overflow': 'reject-publish',
    // For messages that an operator rejects by hand: the broker publishes its dead letters itself, with the reason.
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': deadLetter,
  };
}

/** The arguments of a dead-letter queue, which drops its oldest messages: see `MAX_DEAD_LETTERS`. */
export function deadLetterArguments({ maxBytes }: QueueBounds): Record<string, string | number> {
  return {
    'x-queue-type': 'classic',
    'x-max-length': MAX_DEAD_LETTERS,
    'x-max-length-bytes': maxBytes,
    'x-overflow': 'drop-head',
  };
}

/** The arguments of a queue that holds the parts of one large message: the server deletes it after a week without use. */
export function partsArguments(): Record<string, string | number> {
  return { 'x-queue-type': 'classic', 'x-expires': WEEK_MS };
}
