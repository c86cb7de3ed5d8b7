import type { Broker } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { logConnectionErrors, type Config, type Logger } from '@antelope-history/app-runtime';

/** Which processes exchange messages over the broker: only this one, or several. */
export type BrokerScope = 'one process' | 'many processes';

/**
 * Opens the broker that `broker.kind` names. Only that adapter is loaded. Waits for a server that is unavailable and logs
 * each failed attempt; `giveUpMs` is the longest time that it waits, also for a server that is lost later. Rejects with
 * `CONFIG_INVALID` when the configured broker cannot serve the scope, and with the errors of the adapter's own `open…`.
 */
export async function openBroker(
  config: Config['broker'],
  scope: BrokerScope,
  log: Logger,
  { giveUpMs }: { giveUpMs?: number } = {},
): Promise<Broker> {
  if (config.kind === 'rabbitmq') {
    const { openRabbitmqBroker } = await import('@antelope-history/broker-rabbitmq');
    const connectionName = String(log.bindings()['name']);
    return openRabbitmqBroker({ ...config.rabbitmq, connectionName, giveUpMs }, logConnectionErrors(log, 'the broker'));
  }
  if (scope === 'many processes') {
    throw new HistoryError(
      'CONFIG_INVALID',
      'broker.kind: memory carries blocks between the stages of one process only; name rabbitmq, or run the app ' +
        'standalone, which has all of them',
    );
  }
  const { MemoryBroker } = await import('@antelope-history/broker-memory');
  return new MemoryBroker();
}
