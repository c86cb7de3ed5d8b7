import { TOPOLOGY, type Broker } from '@antelope-history/broker';
import { resultWithin, gauge, type Registry } from '@antelope-history/app-runtime';

type Depth = Awaited<ReturnType<Broker['depth']>>;

/** An unavailable broker must not delay a scrape of the metrics: its queues have no values then. */
const DEPTH_LIMIT_MS = 1_000;

/** Registers two gauges per queue: the messages in it, and its dead letters. Both ask the broker at each scrape. */
export function registerQueueMetrics(broker: Broker, registry: Registry): void {
  register('history_queue_messages', 'Messages in a queue, ready or unacknowledged', ({ messages }) => messages);
  register('history_dead_letters', 'Dead letters kept for a queue', ({ deadLetters }) => deadLetters);

  function register(name: string, help: string, valueOf: (depth: Depth) => number): void {
    const metric = gauge(registry, {
      name,
      help,
      labelNames: ['queue'],
      async collect() {
        const queues = Object.values(TOPOLOGY);
        const depths = await Promise.all(
          queues.map((queue) => resultWithin(broker.depth<unknown>(queue), DEPTH_LIMIT_MS, undefined)),
        );
        queues.forEach(({ name: queue }, index) => {
          const depth = depths[index];
          if (depth) metric.set({ queue }, valueOf(depth));
          else metric.remove({ queue });
        });
      },
    });
  }
}
