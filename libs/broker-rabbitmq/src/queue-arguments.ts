import { MAX_DEAD_LETTERS, type QueueBounds } from '@antelope-history/broker';

/** The queue types of RabbitMQ that the broker uses: replicated on the nodes of a cluster, or kept on one node. */
export type QueueType = 'quorum' | 'classic';

export type QueueArguments = Record<string, string | number>;

/** A queue as it is declared. */
export interface QueueDeclaration {
  name: string;
  arguments: QueueArguments;
}

const WEEK_MS = 7 * 24 * 3_600 * 1_000;

/**
 * The most deliveries of a message, as many as the argument can express: a server must not give up a block because workers were
 * restarted often. RabbitMQ 4 gives up after 20 deliveries by default. The servers before it have no limit by default, but then
 * return a requeued message to the end of the queue (www.rabbitmq.com/docs/3.13/quorum-queues#repeated-requeues); with a limit
 * they return it to its head.
 */
const MAX_DELIVERIES = 2 ** 31 - 1;

/** A quorum queue that has refused a message accepts the next one below this share of its limits (`LOW_LIMIT` in rabbit_fifo.erl). */
const ACCEPTING_SHARE = 0.8;

/** The queue and the dead-letter queue of a queue of the topology. */
export function declarationsOf(queue: QueueBounds, type: QueueType): QueueDeclaration[] {
  return [
    { name: queue.deadLetter, arguments: deadLetterArguments(queue, type) },
    { name: queue.name, arguments: queueArguments(queue, type) },
  ];
}

/** A full queue refuses new messages instead of dropping old ones. */
function queueArguments({ maxMessages, maxBytes, deadLetter }: QueueBounds, type: QueueType): QueueArguments {
  // A classic queue refuses the message that would exceed a limit, a quorum queue those after it.
  const exceeded = type === 'quorum' ? 1 : 0;
  return {
    ...typeArguments(type),
    'x-max-length': maxMessages - exceeded,
    'x-max-length-bytes': maxBytes - exceeded,
    'x-overflow': 'reject-publish',
    // For messages that an operator rejects by hand: the broker publishes its dead letters itself, with the reason.
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': deadLetter,
  };
}

/** A dead-letter queue drops its oldest messages: see `MAX_DEAD_LETTERS`. */
function deadLetterArguments({ maxBytes }: QueueBounds, type: QueueType): QueueArguments {
  return {
    ...typeArguments(type),
    'x-max-length': MAX_DEAD_LETTERS,
    'x-max-length-bytes': maxBytes,
    'x-overflow': 'drop-head',
  };
}

/** The arguments of a queue that holds the parts of one large message: the server deletes it after a week without use. */
export function partsArguments(type: QueueType): QueueArguments {
  return { ...typeArguments(type), 'x-expires': WEEK_MS };
}

/** The type is always named, because virtual hosts can have a default type. */
function typeArguments(type: QueueType): QueueArguments {
  return { 'x-queue-type': type, ...(type === 'quorum' && { 'x-delivery-limit': MAX_DELIVERIES }) };
}

/** The number of waiting messages at which a queue that refused a message at `refusedAt` of them accepts the next one. */
export function acceptingAgainAt(refusedAt: number, type: QueueType): number {
  return type === 'classic' ? refusedAt - 1 : Math.max(0, Math.floor((refusedAt - 1) * ACCEPTING_SHARE));
}
