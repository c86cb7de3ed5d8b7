import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { answerOf, type WorkerHealth } from '@antelope-history/service';
import { DESERIALIZE_DURATION } from './deserializer';

/** What a deserializer does, as its heartbeats tell it. */
export const DESERIALIZER_WORK = { metric: DESERIALIZE_DURATION, unit: 'blocks' } as const;

/** How a deserializer is: it needs the broker alone. */
export function createDeserializerHealth(broker: Broker) {
  return async (): Promise<WorkerHealth> => {
    const waiting = await answerOf(broker.depth(TOPOLOGY.rawBlocks));
    const status = waiting ? 'ok' : 'down';
    return { status, components: { broker: { status } }, facts: { waiting_blocks: waiting?.messages ?? null } };
  };
}
