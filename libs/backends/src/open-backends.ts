import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '@antelope-history/broker';
import { openRabbitmqBroker } from '@antelope-history/broker-rabbitmq';
import { Backoff } from '@antelope-history/connections';
import { MemoryBroker, MemoryKeyValue } from '@antelope-history/in-process';
import type { KeyValue } from '@antelope-history/key-value';
import { openRedisKeyValue } from '@antelope-history/key-value-redis';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { Config, Logger } from '@antelope-history/service';
import type { HistoryStore } from '@antelope-history/store';
import { openElasticsearchStore } from '@antelope-history/store-elasticsearch';
import { openLmdbStore } from '@antelope-history/store-lmdb';

/** The one place that knows which adapter of a port the configuration names. */

/** Waits between tries to open a store whose servers are away, or still start. */
const [RETRY_MIN_MS, RETRY_MAX_MS] = [200, 15_000];

/**
 * Opens the store; `readOnly` for those that only answer. Waits for servers that are away, and logs each try. Errors: those
 * of the adapter's own `open…`.
 */
export function openStore(config: Config['store'], access: { readOnly: boolean }, log: Logger): Promise<HistoryStore> {
  switch (config.kind) {
    case 'lmdb':
      return openLmdbStore({ ...config.lmdb, ...access });
    case 'elasticsearch':
      return whenThere(() => openElasticsearchStore(config.elasticsearch, access), troubleIn(log, 'the store'));
  }
}

/** Who has to reach the same one: the parts of one process, or processes apart. */
export type SharedBy = 'one process' | 'many processes';

/** Opens the broker. Rejects with `CONFIG_INVALID` when the configured one cannot be shared so. */
export async function openBroker(config: Config['broker'], sharedBy: SharedBy, log: Logger): Promise<Broker> {
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

/** Opens the key-value store. Rejects with `CONFIG_INVALID` when the configured one cannot be shared so. */
export async function openKeyValue(config: Config['keyValue'], sharedBy: SharedBy, log: Logger): Promise<KeyValue> {
  if (config.kind === 'redis') return openRedisKeyValue(config.redis, troubleIn(log, 'the key-value store'));
  if (sharedBy === 'one process') return new MemoryKeyValue();
  throw new HistoryError(
    'CONFIG_INVALID',
    'key_value.kind: memory tells of progress within one process only; name redis, or run the app standalone, which ' +
      'has all stages',
  );
}

async function whenThere(
  open: () => Promise<HistoryStore>,
  onTrouble: (error: HistoryError) => void,
): Promise<HistoryStore> {
  const backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!hasErrorCode(error, 'STORE_UNAVAILABLE')) throw error;
      onTrouble(error);
      await sleep(backoff.next());
    }
  }
}

function troubleIn(log: Logger, what: string): (error: HistoryError) => void {
  return (error) => log.warn({ code: error.code, error }, `${what}: ${error.message}`);
}
