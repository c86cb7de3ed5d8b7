import { TOPOLOGY } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { openBroker } from './open-broker';
import { registerQueueMetrics } from './queue-metrics';

const REFETCH = { code: 'BLOCK_GAP', reason: 'for the test' };

const openMemoryBroker = () => openBroker(loadConfig({}).broker, 'one process', createLogger('test', 'silent'));

describe('registerQueueMetrics', () => {
  it('counts messages and dead letters', async () => {
    const broker = await openMemoryBroker();
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
    const broker = await openMemoryBroker();
    broker.depth = () => new Promise(() => undefined);
    const registry = new Registry();
    registerQueueMetrics(broker, registry);
    const start = performance.now();
    expect(await registry.metrics()).not.toContain('history_dead_letters{');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
