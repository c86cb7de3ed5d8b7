import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { readProgress, type KeyValue } from '@antelope-history/key-value';
import { readMetric, statusOf, statusWith, type Registry, type WorkerHealth } from '@antelope-history/app-runtime';
import { HEAD_BLOCK, PASSED_BLOCK, SHIP_AWAY, SHIP_CONNECTED, SHIP_MESSAGES, SHIP_SILENT } from './reader-metrics';

export interface ReaderHealthDependencies {
  broker: Broker;
  keyValue: KeyValue;
  /** The registry of the reader's metrics. */
  registry: Registry;
}

/** The metric of a reader's work, for its heartbeats. */
export const READER_WORK = { metric: SHIP_MESSAGES, unit: 'blocks' } as const;

/** A metric as a prom-client registry returns it, possibly from another thread. */
export interface MetricValues {
  name: string;
  values: { value: number; labels?: Partial<Record<string, string | number>> }[];
}

/**
 * Whether a node is being read; if none is, `reason` is the error code of the last session. `degraded` after a node sent no
 * blocks for too long: the block numbers do not show this, because the committed head equals the last head that the node
 * reported.
 */
export function shipHealth(metrics: readonly MetricValues[]): { status: 'ok' | 'degraded' | 'down'; reason?: string } {
  const isOne = ({ value }: { value: number }): boolean => value === 1;
  const valuesOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.values ?? [];
  if (valuesOf(SHIP_CONNECTED).some(isOne)) {
    return valuesOf(SHIP_SILENT).some(isOne) ? { status: 'degraded', reason: 'SHIP_SILENT' } : { status: 'ok' };
  }
  const reason = valuesOf(SHIP_AWAY).find(isOne)?.labels?.['code'];
  return { status: 'down', ...(reason !== undefined && { reason: String(reason) }) };
}

/** Health of a reader: `down` without a node or the broker, because it then publishes nothing. */
export function createReaderHealth({ broker, keyValue, registry }: ReaderHealthDependencies) {
  return async (): Promise<WorkerHealth> => {
    const [ship, headBlock, passedBlock, brokerStatus, keyValueStatus] = await Promise.all([
      registry.getMetricsAsJSON().then(shipHealth),
      readMetric(registry, HEAD_BLOCK),
      readMetric(registry, PASSED_BLOCK),
      statusOf(broker.depth(TOPOLOGY.rawBlocks)),
      statusOf(readProgress(keyValue)),
    ]);
    const brokerHealth = { status: brokerStatus };
    const keyValueHealth = { status: keyValueStatus };
    return {
      status: statusWith([ship, brokerHealth], [keyValueHealth]),
      components: { ship, broker: brokerHealth, key_value: keyValueHealth },
      facts: { head_block_num: headBlock || null, passed_block_num: passedBlock || null },
    };
  };
}
