import { openStoreReader } from '@antelope-history/open-store-reader';
import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import type { StoreReader } from '@antelope-history/store';
import type { DistributedSet } from '@antelope-history/processes';

/** Opens the store of a suite for direct queries. */
export function openSuiteStore({ environment }: Pick<DistributedSet, 'environment'>): Promise<StoreReader> {
  return openStoreReader(loadConfig(environment.store).store, createLogger('simulate', 'silent'));
}
