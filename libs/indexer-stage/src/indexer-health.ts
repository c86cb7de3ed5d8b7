import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { readProgress, type KeyValue } from '@antelope-history/key-value';
import {
  resultOfComponent,
  readMetric,
  statusOf,
  statusWith,
  type Registry,
  type WorkerHealth,
} from '@antelope-history/app-runtime';
import { describeLag } from '@antelope-history/schemas';
import type { ChainStatus, HistoryWriter } from '@antelope-history/store';
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
    const brokerHealth = { status: waiting ? 'ok' : 'down' } as const;
    const storeHealth = describeStore(progress !== undefined, indexer.refusal());
    const keyValueHealth = { status: keyValueStatus };
    return {
      status: statusWith([brokerHealth, storeHealth], [keyValueHealth]),
      components: { broker: brokerHealth, store: storeHealth, key_value: keyValueHealth },
      facts: {
        ...factsOf(progress?.status ?? {}),
        waiting_blocks: waiting?.messages ?? null,
        last_commit_at: lastCommit ? new Date(lastCommit * 1000).toISOString() : null,
      },
    };
  };
}

function describeStore(responds: boolean, refusal: string | undefined): WorkerHealth['components'][string] {
  if (!responds) return { status: 'down' };
  return refusal === undefined ? { status: 'ok' } : { status: 'degraded', reason: refusal };
}

function factsOf({ head, committed, lastIrreversible }: Partial<ChainStatus>): WorkerHealth['facts'] {
  return {
    head_block_num: head?.num ?? null,
    committed_block_num: committed?.num ?? null,
    last_irreversible_block_num: lastIrreversible?.num ?? null,
    lag_blocks: describeLag(head?.num, committed?.num).lag ?? null,
  };
}
