import type { Broker } from '@antelope-history/broker';
import { openRabbitmqBroker } from '@antelope-history/broker-rabbitmq';
import { MemoryBroker, MemoryKeyValue } from '@antelope-history/in-process';
import type { KeyValue } from '@antelope-history/key-value';
import { openRedisKeyValue } from '@antelope-history/key-value-redis';
import { HistoryError } from '@antelope-history/schemas';
import type { Config, Logger } from '@antelope-history/service';
import type { HistoryStore } from '@antelope-history/store';
import { openElasticsearchStore } from '@antelope-history/store-elasticsearch';
import { openLmdbStore } from '@antelope-history/store-lmdb';

/** The one place that knows which adapter of a port the configuration names. */

/** Opens the store; `readOnly` for those that only answer. Errors: those of the adapter's own `open…`. */
export function openStore(config: Config['store'], access: { readOnly: boolean }): Promise<HistoryStore> {
  switch (config.kind) {
    case 'lmdb':
      return openLmdbStore({ path: config.path, mapSizeBytes: config.mapSizeBytes, ...access });
    case 'elasticsearch':
      return openElasticsearchStore(config.elasticsearch, access);
  }
}

/**
 * Opens the broker. `sharedBy` says who has to reach it: the stages of one process, or processes apart. Rejects with
 * `CONFIG_INVALID` when the configured one cannot do that.
 */
export async function openBroker(
  config: Config['broker'],
  sharedBy: 'one process' | 'many processes',
  log: Logger,
): Promise<Broker> {
  if (config.kind === 'rabbitmq') {
    const connectionName = String(log.bindings()['name']);
    return openRabbitmqBroker({ ...config.rabbitmq, connectionName }, troubleIn(log, 'the broker'));
  }
  if (sharedBy === 'one process') return new MemoryBroker();
  throw new HistoryError(
    'CONFIG_INVALID',
    'broker.kind: memory carries blocks between the stages of one process only; name rabbitmq, or run the app ' +
      'standalone, which has all of them',
  );
}

/** Opens the key-value store. In memory it is the process's own: progress and counters of others are not in it. */
export async function openKeyValue(config: Config['keyValue'], log: Logger): Promise<KeyValue> {
  if (config.kind === 'redis') return openRedisKeyValue(config.redis, troubleIn(log, 'the key-value store'));
  return new MemoryKeyValue();
}

function troubleIn(log: Logger, what: string): (error: HistoryError) => void {
  return (error) => log.warn({ code: error.code, error }, `${what}: ${error.message}`);
}
