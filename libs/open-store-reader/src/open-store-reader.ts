import { logConnectionErrors, openWhenAvailable, type Config, type Logger } from '@antelope-history/app-runtime';
import type { StoreReader } from '@antelope-history/store';

/**
 * Opens the read side of the store that `store.kind` names. Only the read side of that adapter is loaded. Waits for a server
 * that is unavailable and logs each failed attempt. Rejects with the errors of the adapter's own `open…`, and with `STOPPED` when
 * `interruption` aborts; requests to a server, also those of the reader, do so at once.
 */
export async function openStoreReader(
  config: Config['store'],
  log: Logger,
  interruption?: AbortSignal,
): Promise<StoreReader> {
  switch (config.kind) {
    case 'lmdb': {
      const { openLmdbStoreReader } = await import('@antelope-history/store-lmdb/reader');
      return openLmdbStoreReader(config.lmdb);
    }
    case 'elasticsearch': {
      const { openElasticsearchStoreReader } = await import('@antelope-history/store-elasticsearch/reader');
      return openWhenAvailable(
        () => openElasticsearchStoreReader(config.elasticsearch, interruption),
        'STORE_UNAVAILABLE',
        logConnectionErrors(log, 'the store'),
        interruption,
      );
    }
  }
}
