import type { QueueBounds } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { declarationsOf, type QueueDeclaration } from './queue-arguments';
import { isPreconditionFailed } from './rabbitmq-errors';
import type { ServerConnection } from './server-connection';

/** Version 4.1.0 declared classic queues with these bounds. */
const FORMER_TYPE = 'classic';

/**
 * Deletes a queue and its dead-letter queue if version 4.1.0 declared them, so that they can be declared anew: a server does not
 * change the type of a queue. The messages in the queue are not needed: a reader begins at the store's committed head when it
 * starts. Returns a report of each deleted queue. Keeps a queue that was declared with other arguments, a queue that an app
 * consumes, and a dead-letter queue that holds messages.
 */
export async function removeFormerQueues(connection: ServerConnection, queue: QueueBounds): Promise<HistoryError[]> {
  const reports: HistoryError[] = [];
  for (const declaration of declarationsOf(queue, FORMER_TYPE)) {
    const removed = await removeFormerQueue(connection, declaration, declaration.name === queue.deadLetter);
    if (removed) reports.push(removed);
  }
  return reports;
}

async function removeFormerQueue(
  connection: ServerConnection,
  { name, arguments: args }: QueueDeclaration,
  holdsDeadLetters: boolean,
): Promise<HistoryError | undefined> {
  const channel = await connection.openChannel();
  try {
    // Fails when the queue exists with other arguments, for example because another app has replaced it already. When another app has
    // just deleted the queue, this creates it, so that the other one has to replace it again.
    const { messageCount } = await channel.amqp.assertQueue(name, { durable: true, arguments: args });
    await channel.amqp.deleteQueue(name, { ifUnused: true, ifEmpty: holdsDeadLetters });
    return new HistoryError(
      'BROKER_QUEUE_MISMATCH',
      `the classic queue ${name} of an earlier version is replaced by a quorum queue; ` +
        `its ${messageCount} messages are dropped, and their blocks are read again`,
    );
  } catch (error) {
    if (isPreconditionFailed(error)) return undefined;
    throw channel.endReason ?? error;
  } finally {
    await channel.close();
  }
}
