import type { Broker } from '@antelope-history/broker';
import { MemoryBroker, MemoryKeyValue } from '@antelope-history/in-process';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import type { Config } from '@antelope-history/service';
import type { HistoryStore } from '@antelope-history/store';
import { openLmdbStore } from '@antelope-history/store-lmdb';

/** The one place that knows which adapter of a port the configuration names. */

/** Opens the store; `readOnly` for those that only answer. Errors: those of the adapter's own `open…`. */
export function openStore(config: Config['store'], access: { readOnly: boolean }): Promise<HistoryStore> {
  return openLmdbStore({ path: config.path, mapSizeBytes: config.mapSizeBytes, readOnly: access.readOnly });
}

/**
 * Opens the broker. `sharedBy` says who has to reach it: the stages of one process, or processes apart. Throws
 * `CONFIG_INVALID` when the configured one cannot do that.
 */
export function openBroker(config: Config['broker'], sharedBy: 'one process' | 'many processes'): Broker {
  if (sharedBy === 'many processes') {
    throw new HistoryError(
      'CONFIG_INVALID',
      `broker.kind: ${config.kind} carries blocks between the stages of one process only; run the app standalone, ` +
        'which has all of them',
    );
  }
  return new MemoryBroker();
}

/** Opens the key-value store. In memory it is the process's own: progress and counters of others are not in it. */
export function openKeyValue(): KeyValue {
  return new MemoryKeyValue();
}
