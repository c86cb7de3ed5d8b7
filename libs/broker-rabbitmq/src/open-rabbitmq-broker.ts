import { TOPOLOGY, type Broker, type QueueBounds } from '@antelope-history/broker';
import type { HistoryError } from '@antelope-history/schemas';
import type { BrokerContext } from './broker-context';
import { RabbitmqBroker } from './rabbitmq-broker';
import { toChannelError } from './rabbitmq-errors';
import type { RabbitmqOptions } from './rabbitmq-options';
import { ServerConnection } from './server-connection';
import { ServerLink } from './server-link';

/**
 * Connects to the server and makes the queues of the topology that are not there. Waits for a server that is away.
 * `onTrouble` is told of each try, of a connection that was lost, and of a message that does not decode. Rejects with
 * `ACCESS_REFUSED`, `CERTIFICATE_REFUSED`, `CONFIG_INVALID` or `BROKER_QUEUE_MISMATCH` when trying again is no use.
 */
export async function openRabbitmqBroker(
  options: RabbitmqOptions,
  onTrouble: (error: HistoryError) => void,
  topology: Record<string, QueueBounds> = TOPOLOGY,
): Promise<Broker> {
  const link = (purpose: string): ServerLink =>
    new ServerLink((signal) => ServerConnection.open(options, purpose, signal), onTrouble);
  const links = { publishing: link('publishing'), consuming: link('consuming') };
  const trouble = { onTrouble, toError: (error: unknown) => toChannelError(error, options) };
  try {
    await applyTopology(links.consuming, Object.values(topology), trouble);
    await links.publishing.open();
  } catch (error) {
    await Promise.all([links.publishing.close(), links.consuming.close()]);
    throw error;
  }
  return new RabbitmqBroker(links, options.splitBytes, trouble);
}

/** Over the next connection, when one goes in between. */
async function applyTopology(
  link: ServerLink,
  queues: QueueBounds[],
  { onTrouble, toError }: Omit<BrokerContext, 'link'>,
): Promise<void> {
  for (;;) {
    const connection = await link.open();
    try {
      for (const queue of queues) await connection.declare(queue);
      return;
    } catch (error) {
      const reason = toError(error);
      if (!reason.retryable) throw reason;
      onTrouble(reason);
      await connection.close();
    }
  }
}
