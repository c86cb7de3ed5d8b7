import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { HistoryError } from '@antelope-history/schemas';
import { Registry } from '@antelope-history/service';
import { registerQueueMetrics } from './queue-metrics';

const REFETCH = { fromBlock: 1, code: 'BLOCK_GAP', reason: 'for the test' };

describe('registerQueueMetrics', () => {
  it('counts messages and dead letters', async () => {
    const broker = new MemoryBroker();
    const registry = new Registry();
    registerQueueMetrics(broker, registry);
    await broker.publish(TOPOLOGY.refetch, REFETCH);
    await broker.publish(TOPOLOGY.refetch, REFETCH);
    const rejected = new Promise<void>((resolve) => {
      void broker.consume(TOPOLOGY.refetch, (delivery) => {
        delivery.reject(new HistoryError('BLOCK_REFUSED', 'for the test'));
        resolve();
      });
    });
    await rejected;
    const text = await registry.metrics();
    expect(text).toMatch(/history_dead_letters\{queue="refetch"\} [12]/);
    expect(text).toContain('history_queue_messages{queue="raw-blocks"} 0');
    await broker.close();
  });

  it('leaves the values out, without a delay, while the broker is unavailable', async () => {
    const broker = new MemoryBroker();
    broker.depth = () => new Promise(() => undefined);
    const registry = new Registry();
    registerQueueMetrics(broker, registry);
    const start = performance.now();
    expect(await registry.metrics()).not.toContain('history_dead_letters{');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
