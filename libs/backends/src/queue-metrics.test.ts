import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/in-process';
import { HistoryError } from '@antelope-history/schemas';
import { Registry } from '@antelope-history/service';
import { showQueues } from './queue-metrics';

const REFETCH = { code: 'BLOCK_GAP', reason: 'as the test wants it' };

describe('the metrics of queues', () => {
  it('count what waits and what was rejected', async () => {
    const broker = new MemoryBroker();
    const registry = new Registry();
    showQueues(broker, registry);
    await broker.publish(TOPOLOGY.refetch, REFETCH);
    await broker.publish(TOPOLOGY.refetch, REFETCH);
    const rejected = new Promise<void>((resolve) => {
      void broker.consume(TOPOLOGY.refetch, (delivery) => {
        delivery.reject(new HistoryError('BLOCK_REFUSED', 'as the test wants it'));
        resolve();
      });
    });
    await rejected;
    const text = await registry.metrics();
    expect(text).toMatch(/history_dead_letters\{queue="refetch"\} [12]/);
    expect(text).toContain('history_queue_messages{queue="raw-blocks"} 0');
    await broker.close();
  });

  it('are left out, soon, while the broker is away', async () => {
    const broker = new MemoryBroker();
    broker.depth = () => new Promise(() => undefined);
    const registry = new Registry();
    showQueues(broker, registry);
    const start = performance.now();
    expect(await registry.metrics()).not.toContain('history_dead_letters{');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
