import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { resultOfComponent, type WorkerHealth } from '@antelope-history/app-runtime';
import { DESERIALIZE_DURATION } from './block-deserializer';

/** The metric of a deserializer's work, for its heartbeats. */
export const DESERIALIZER_WORK = { metric: DESERIALIZE_DURATION, unit: 'blocks' } as const;

/** Health of a deserializer: it needs only the broker. */
export function createDeserializerHealth(broker: Broker) {
  return async (): Promise<WorkerHealth> => {
    const waiting = await resultOfComponent(broker.depth(TOPOLOGY.rawBlocks));
    const status = waiting ? 'ok' : 'down';
    return { status, components: { broker: { status } }, facts: { waiting_blocks: waiting?.messages ?? null } };
  };
}
