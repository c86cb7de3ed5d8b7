import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '@antelope-history/broker';
import { openRabbitmqBroker } from '@antelope-history/broker-rabbitmq';
import { Backoff } from '@antelope-history/connections';
import { MemoryBroker, MemoryKeyValue } from '@antelope-history/in-process';
import type { KeyValue } from '@antelope-history/key-value';
import { openRedisKeyValue } from '@antelope-history/key-value-redis';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { Config, Logger } from '@antelope-history/service';
import type { StoreReader, StoreWriter } from '@antelope-history/store';
import { openElasticsearchStoreReader } from '@antelope-history/store-elasticsearch/reader';
import { openElasticsearchStoreWriter } from '@antelope-history/store-elasticsearch/writer';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';

/** The one place that knows which adapter of a port the configuration names. */

/** Waits between tries to open a store whose servers are away, or still start. */
const [RETRY_MIN_MS, RETRY_MAX_MS] = [200, 15_000];

/** Opens the read side of the store. Waits for servers that are away, and logs each try. Errors: those of the adapter. */
export function openStoreReader(config: Config['store'], log: Logger): Promise<StoreReader> {
  switch (config.kind) {
    case 'lmdb':
      return openLmdbStoreReader({ path: config.path, mapSizeBytes: config.mapSizeBytes });
    case 'elasticsearch':
      return whenThere(() => openElasticsearchStoreReader(config.elasticsearch), troubleIn(log, 'the store'));
  }
}

/** Opens the write side of the store. Waits for servers that are away, and logs each try. Errors: those of the adapter. */
export function openStoreWriter(config: Config['store'], log: Logger): Promise<StoreWriter> {
  switch (config.kind) {
    case 'lmdb':
      return openLmdbStoreWriter({ path: config.path, mapSizeBytes: config.mapSizeBytes });
    case 'elasticsearch':
      return whenThere(() => openElasticsearchStoreWriter(config.elasticsearch), troubleIn(log, 'the store'));
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

async function whenThere<T>(open: () => Promise<T>, onTrouble: (error: HistoryError) => void): Promise<T> {
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
