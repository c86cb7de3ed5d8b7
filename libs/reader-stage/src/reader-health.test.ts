import { MemoryBroker } from '@antelope-history/broker-memory';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { Registry } from '@antelope-history/app-runtime';
import { createReaderHealth } from './reader-health';
import { createReaderMetrics } from './reader-metrics';

class FailingKeyValue extends MemoryKeyValue {
  override get = () => Promise.reject(new Error('unavailable'));
}

class FailingBroker extends MemoryBroker {
  override depth = () => Promise.reject(new Error('unavailable'));
}

describe('the health of a reader', () => {
  const setUp = ({ broker = new MemoryBroker(), keyValue = new MemoryKeyValue() } = {}) => {
    const registry = new Registry();
    const metrics = createReaderMetrics(registry);
    metrics.began();
    return { metrics, readHealth: createReaderHealth({ broker, keyValue, registry }) };
  };

  it('reports the head of the node and the last published block', async () => {
    const { metrics, readHealth } = setUp();
    expect((await readHealth()).facts).toEqual({ head_block_num: null, passed_block_num: null });
    metrics.heads.set(90);
    metrics.published(80, 1_000);
    expect(await readHealth()).toEqual({
      status: 'ok',
      components: { ship: { status: 'ok' }, broker: { status: 'ok' }, key_value: { status: 'ok' } },
      facts: { head_block_num: 90, passed_block_num: 80 },
    });
  });

  it('is down without a node and without the broker, degraded without the key-value store', async () => {
    const { metrics, readHealth } = setUp();
    metrics.ended('SHIP_UNSUPPORTED');
    const ship = { status: 'down', reason: 'SHIP_UNSUPPORTED' };
    expect(await readHealth()).toMatchObject({ status: 'down', components: { ship } });
    expect(await setUp({ broker: new FailingBroker() }).readHealth()).toMatchObject({
      status: 'down',
      components: { ship: { status: 'ok' }, broker: { status: 'down' } },
    });
    expect(await setUp({ keyValue: new FailingKeyValue() }).readHealth()).toMatchObject({
      status: 'degraded',
      components: { key_value: { status: 'down' } },
    });
  });
});
