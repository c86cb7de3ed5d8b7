import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { readProgress, type KeyValue } from '@antelope-history/key-value';
import {
  resultOfComponent,
  readMetric,
  statusOf,
  type Registry,
  type WorkerHealth,
} from '@antelope-history/app-runtime';
import type { HistoryWriter } from '@antelope-history/store';
import type { Indexer } from './indexer';
import { INDEXED_BLOCKS, LAST_COMMIT } from './indexer-metrics';

export interface IndexerHealthDependencies {
  broker: Broker;
  store: HistoryWriter;
  keyValue: KeyValue;
  indexer: Pick<Indexer, 'refusal'>;
  /** The registry of the indexer's metrics. */
  registry: Registry;
}

/** The metric of an indexer's work, for its heartbeats. */
export const INDEXER_WORK = { metric: INDEXED_BLOCKS, unit: 'blocks' } as const;

/**
 * Health of an indexer: `down` without the broker or the store, because it then writes nothing; `degraded` while the store
 * refuses it alone, because the other indexers do its work.
 */
export function createIndexerHealth({ broker, store, keyValue, indexer, registry }: IndexerHealthDependencies) {
  return async (): Promise<WorkerHealth> => {
    const [waiting, progress, keyValueStatus, lastCommit] = await Promise.all([
      resultOfComponent(broker.depth(TOPOLOGY.blockRecords)),
      resultOfComponent(store.getProgress()),
      statusOf(readProgress(keyValue)),
      readMetric(registry, LAST_COMMIT),
    ]);
    const { committed, head, lastIrreversible } = progress?.status ?? {};
    const refusal = indexer.refusal();
    return {
      status: !waiting || !progress ? 'down' : keyValueStatus === 'ok' && !refusal ? 'ok' : 'degraded',
      components: {
        broker: { status: waiting ? 'ok' : 'down' },
        store: !progress ? { status: 'down' } : refusal ? { status: 'degraded', reason: refusal } : { status: 'ok' },
        key_value: { status: keyValueStatus },
      },
      facts: {
        head_block_num: head?.num ?? null,
        committed_block_num: committed?.num ?? null,
        last_irreversible_block_num: lastIrreversible?.num ?? null,
        lag_blocks: head && committed ? Math.max(0, head.num - committed.num) : null,
        waiting_blocks: waiting?.messages ?? null,
        last_commit_at: lastCommit ? new Date(lastCommit * 1000).toISOString() : null,
      },
    };
  };
}
