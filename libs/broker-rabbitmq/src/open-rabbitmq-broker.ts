import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type QueueBounds } from '@antelope-history/broker';
import { hasErrorCode, type HistoryError } from '@antelope-history/schemas';
import { removeFormerQueues } from './former-queues';
import { RabbitmqBroker } from './rabbitmq-broker';
import { toChannelError } from './rabbitmq-errors';
import type { RabbitmqOptions } from './rabbitmq-options';
import { NodeRotation } from './node-rotation';
import { ServerConnection } from './server-connection';
import { ServerLink, type BrokerContext } from './server-link';

/**
 * Connects to the server and creates missing queues of the topology, in place of those of an earlier version. Waits for a server
 * that is unavailable, for `giveUpMs` at most. `onError` receives each failed attempt, each lost connection, each message that does
 * not decode and each queue that was replaced. Rejects with `ACCESS_REFUSED`, `CERTIFICATE_REFUSED`, `CONFIG_INVALID` or
 * `BROKER_QUEUE_MISMATCH` when a retry is pointless.
 */
export async function openRabbitmqBroker(
  options: RabbitmqOptions,
  onError: (error: HistoryError) => void,
  topology: Record<string, QueueBounds> = TOPOLOGY,
): Promise<Broker> {
  const end = performance.now() + (options.giveUpMs ?? Infinity);
  const link = (purpose: string): ServerLink => {
    const nodes = new NodeRotation(options.url);
    return new ServerLink(
      (signal) => ServerConnection.open({ ...options, url: nodes.next() }, purpose, signal),
      onError,
      options.giveUpMs,
    );
  };
  const links = { publishing: link('publishing'), consuming: link('consuming') };
  const errors = { onError, toError: (error: unknown) => toChannelError(error, options) };
  const isLate = (): boolean => performance.now() > end;
  try {
    await applyTopology(links.consuming, Object.values(topology), { ...errors, isLate });
    await links.publishing.open();
  } catch (error) {
    await Promise.all([links.publishing.close(), links.consuming.close()]);
    throw error;
  }
  return new RabbitmqBroker(links, options.splitBytes, errors);
}

/** Creates the queues. Starts again over the next connection when one is lost, until `isLate`. */
async function applyTopology(
  link: ServerLink,
  queues: QueueBounds[],
  { onError, toError, isLate }: Omit<BrokerContext, 'link'> & { isLate(): boolean },
): Promise<void> {
  for (;;) {
    const connection = await link.open();
    try {
      for (const queue of queues) await declare(connection, queue, onError);
      return;
    } catch (error) {
      const reason = toError(error);
      if (!reason.retryable || isLate()) throw reason;
      onError(reason);
      await connection.close();
    }
  }
}

/** How often a queue of an earlier version is replaced: by several apps that start at once, each of which may disturb another. */
const MAX_REPLACEMENTS = 10;
const MAX_PAUSE_MS = 200;

async function declare(
  connection: ServerConnection,
  queue: QueueBounds,
  onError: (error: HistoryError) => void,
): Promise<void> {
  for (let replacements = 0; ; replacements++) {
    try {
      await connection.declare(queue);
      return;
    } catch (error) {
      if (!hasErrorCode(error, 'BROKER_QUEUE_MISMATCH') || connection.queueType === 'classic') throw error;
      if (replacements === MAX_REPLACEMENTS) throw error;
      const reports = await removeFormerQueues(connection, queue);
      for (const report of reports) onError(report);
      // Another app has removed what differed, or is about to: the pauses of the apps differ.
      if (reports.length === 0) await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}
