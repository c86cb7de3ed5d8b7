import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { readProgress, type KeyValue } from '@antelope-history/key-value';
import { readMetric, statusOf, type Registry, type WorkerHealth } from '@antelope-history/service';
import { HEAD_BLOCK, PASSED_BLOCK, SHIP_CONNECTED, SHIP_MESSAGES } from './reader-metrics';

export interface ReaderHealthDependencies {
  broker: Broker;
  keyValue: KeyValue;
  /** The one that the reader counts in. */
  registry: Registry;
}

/** What a reader does, as its heartbeats tell it. */
export const READER_WORK = { metric: SHIP_MESSAGES, unit: 'blocks' } as const;

/** How a reader is: without a node or the broker it passes nothing on. */
export function createReaderHealth({ broker, keyValue, registry }: ReaderHealthDependencies) {
  return async (): Promise<WorkerHealth> => {
    const [isConnected, headBlock, passedBlock, brokerStatus, keyValueStatus] = await Promise.all([
      readMetric(registry, SHIP_CONNECTED),
      readMetric(registry, HEAD_BLOCK),
      readMetric(registry, PASSED_BLOCK),
      statusOf(broker.depth(TOPOLOGY.rawBlocks)),
      statusOf(readProgress(keyValue)),
    ]);
    const shipStatus = isConnected === 1 ? 'ok' : 'down';
    const works = shipStatus === 'ok' && brokerStatus === 'ok';
    return {
      status: !works ? 'down' : keyValueStatus === 'ok' ? 'ok' : 'degraded',
      components: {
        ship: { status: shipStatus },
        broker: { status: brokerStatus },
        key_value: { status: keyValueStatus },
      },
      facts: { head_block_num: headBlock || null, passed_block_num: passedBlock || null },
    };
  };
}
