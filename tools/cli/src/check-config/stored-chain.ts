import { openKeyValue } from '@antelope-history/open-key-value';
import { readProgress } from '@antelope-history/key-value';
import type { StoredChain } from '@antelope-history/reader-stage/check';
import type { Config, Logger } from '@antelope-history/app-runtime';
import { readElasticsearchStatus } from '@antelope-history/store-elasticsearch/check';
import { readLmdbStatus } from '@antelope-history/store-lmdb/check';
import type { AppNeeds } from './app-needs';

/**
 * The stored chain as the reader sees it: read from the store if the checked apps use it, otherwise from the progress that the
 * indexer publishes in the key-value store. Undefined when nothing is stored.
 */
export function readStoredChain(
  config: Config,
  { store }: Pick<AppNeeds, 'store'>,
  log: Logger,
): Promise<StoredChain | undefined> {
  if (store === 'none') return readPublishedProgress(config.keyValue, log);
  switch (config.store.kind) {
    case 'lmdb':
      return readLmdbStatus(config.store.lmdb.path);
    case 'elasticsearch':
      return readElasticsearchStatus(config.store.elasticsearch);
  }
}

async function readPublishedProgress(config: Config['keyValue'], log: Logger): Promise<StoredChain | undefined> {
  const keyValue = await openKeyValue(config, 'one process', log);
  try {
    return await readProgress(keyValue);
  } finally {
    await keyValue.close();
  }
}
