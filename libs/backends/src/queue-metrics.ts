import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { gauge, type Registry } from '@antelope-history/service';

type Depth = Awaited<ReturnType<Broker['depth']>>;

/** A broker that is away must not hold up who reads the metrics: its queues have no figures then. */
const ANSWER_LIMIT_MS = 1_000;

/** Shows in the metrics how many messages wait in each queue, and how many dead letters lie beside it. */
export function showQueues(broker: Broker, registry: Registry): void {
  show('history_queue_messages', 'Messages that wait in a queue or are in hand', ({ messages }) => messages);
  show('history_dead_letters', 'Messages that were rejected and are kept', ({ deadLetters }) => deadLetters);

  function show(name: string, help: string, figureOf: (depth: Depth) => number): void {
    const metric = gauge(registry, {
      name,
      help,
      labelNames: ['queue'],
      async collect() {
        const queues = Object.values(TOPOLOGY);
        const depths = await Promise.all(queues.map((queue) => depthOf(() => broker.depth<unknown>(queue))));
        queues.forEach(({ name: queue }, index) => {
          const depth = depths[index];
          if (depth) metric.set({ queue }, figureOf(depth));
          else metric.remove({ queue });
        });
      },
    });
  }
}

function depthOf(ask: () => Promise<Depth>): Promise<Depth | undefined> {
  const late = sleep(ANSWER_LIMIT_MS, undefined, { ref: false });
  return Promise.race([ask().catch(() => undefined), late]);
}
