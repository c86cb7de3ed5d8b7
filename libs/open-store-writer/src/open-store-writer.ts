import { logConnectionErrors, openWhenAvailable, type Config, type Logger } from '@antelope-history/app-runtime';
import type { StoreRepairer, StoreWriter } from '@antelope-history/store';

/**
 * Opens the write side of the store that `store.kind` names. Only the write side of that adapter is loaded. Waits for a server
 * that is unavailable and logs each failed attempt. Rejects with the errors of the adapter's own `open…`.
 */
export async function openStoreWriter(
  { store: config, index: { dataFields } }: Pick<Config, 'store' | 'index'>,
  log: Logger,
): Promise<StoreWriter> {
  switch (config.kind) {
    case 'lmdb': {
      const { openLmdbStoreWriter } = await import('@antelope-history/store-lmdb/writer');
      return openLmdbStoreWriter({ ...config.lmdb, dataFields });
    }
    case 'elasticsearch': {
      const { openElasticsearchStoreWriter } = await import('@antelope-history/store-elasticsearch/writer');
      return openWhenAvailable(
        () => openElasticsearchStoreWriter({ ...config.elasticsearch, dataFields }),
        'STORE_UNAVAILABLE',
        logConnectionErrors(log, 'the store'),
      );
    }
  }
}

/** Opens the store for repairs while the service may run, as `openStoreWriter`. */
export async function openStoreRepairer(config: Config['store'], log: Logger): Promise<StoreRepairer> {
  switch (config.kind) {
    case 'lmdb': {
      const { openLmdbStoreRepairer } = await import('@antelope-history/store-lmdb/writer');
      return openLmdbStoreRepairer(config.lmdb);
    }
    case 'elasticsearch': {
      const { openElasticsearchStoreRepairer } = await import('@antelope-history/store-elasticsearch/writer');
      return openWhenAvailable(
        () => openElasticsearchStoreRepairer(config.elasticsearch),
        'STORE_UNAVAILABLE',
        logConnectionErrors(log, 'the store'),
      );
    }
  }
}
