import { openStore } from '@antelope-history/backends';
import { createLogger, loadConfig } from '@antelope-history/service';
import type { HistoryStore } from '@antelope-history/store';
import type { DistributedSet } from '@antelope-history/suite';

/** Opens the store of a suite, to ask it directly. */
export function openSuiteStore({ environment }: Pick<DistributedSet, 'environment'>): Promise<HistoryStore> {
  return openStore(loadConfig([], environment.store).store, { readOnly: true }, createLogger('simulate', 'silent'));
}
