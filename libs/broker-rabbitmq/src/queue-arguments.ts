import { MOST_DEAD_LETTERS, type QueueBounds } from '@antelope-history/broker';

const WEEK_MS = 7 * 24 * 3_600 * 1_000;

/**
 * What a queue of the topology is declared with. Classic, whatever the virtual host's default: a replicated queue puts
 * what is given back at its end, and drops it the twentieth time. A full queue refuses instead of dropping.
 */
export function queueArguments({ maxMessages, maxBytes, deadLetter }: QueueBounds): Record<string, string | number> {
  return {
    'x-queue-type': 'classic',
    'x-max-length': maxMessages,
    'x-max-length-bytes': maxBytes,
    'x-overflow': 'reject-publish',
    // The default exchange. We put dead letters there ourselves, with the reason; this is for what others refuse.
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': deadLetter,
  };
}

/** Of a queue of dead letters, which drops its oldest: see `MOST_DEAD_LETTERS`. */
export function deadLetterArguments({ maxBytes }: QueueBounds): Record<string, string | number> {
  return {
    'x-queue-type': 'classic',
    'x-max-length': MOST_DEAD_LETTERS,
    'x-max-length-bytes': maxBytes,
    'x-overflow': 'drop-head',
  };
}

/** Of a queue that holds a large message's parts: should nobody come for them, they go by themselves. */
export function partsArguments(): Record<string, string | number> {
  return { 'x-queue-type': 'classic', 'x-expires': WEEK_MS };
}
