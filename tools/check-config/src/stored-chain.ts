import { openKeyValue } from '@antelope-history/open-key-value';
import { readProgress } from '@antelope-history/key-value';
import type { StoredChain } from '@antelope-history/reader-stage';
import type { Config, Logger } from '@antelope-history/service';
import { readElasticsearchStatus } from '@antelope-history/store-elasticsearch/check';
import { readLmdbStatus } from '@antelope-history/store-lmdb/check';
import type { AppNeeds } from './app-needs';

/**
 * What is stored of the chain, as the reader learns it: from the store where it may be reached, else as the indexer told
 * in the key-value store. Undefined when that is nothing.
 */
export function readStoredChain(
  config: Config,
  { store }: Pick<AppNeeds, 'store'>,
  log: Logger,
): Promise<StoredChain | undefined> {
  if (store === 'none') return readToldProgress(config.keyValue, log);
  switch (config.store.kind) {
    case 'lmdb':
      return readLmdbStatus(config.store.path);
    case 'elasticsearch':
      return readElasticsearchStatus(config.store.elasticsearch);
  }
}

async function readToldProgress(config: Config['keyValue'], log: Logger): Promise<StoredChain | undefined> {
  const keyValue = await openKeyValue(config, 'one process', log);
  try {
    return await readProgress(keyValue);
  } finally {
    await keyValue.close();
  }
}
