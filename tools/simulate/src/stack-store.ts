import { openStore } from '@antelope-history/backends';
import { createLogger, loadConfig } from '@antelope-history/service';
import type { HistoryStore } from '@antelope-history/store';
import type { DistributedSet } from '@antelope-history/processes';

/** Opens the store of a stack for direct queries. */
export function openStackStore({ environment }: Pick<DistributedSet, 'environment'>): Promise<HistoryStore> {
  return openStore(loadConfig([], environment.store).store, { readOnly: true }, createLogger('simulate', 'silent'));
}
