import { TOPOLOGY } from '@antelope-history/broker';
import { MemoryBroker } from '@antelope-history/broker-memory';
import { createDeserializerHealth } from './deserializer-health';

describe('the health of a deserializer', () => {
  it('reports the number of queued blocks', async () => {
    const broker = new MemoryBroker();
    const streamPosition = { epoch: 1, sequence: 1 };
    for (let blocks = 0; blocks < 3; blocks++) {
      await broker.publish(TOPOLOGY.rawBlocks, {
        abi: '',
        message: Buffer.alloc(1),
        chainId: undefined,
        streamPosition,
      });
    }
    expect(await createDeserializerHealth(broker)()).toEqual({
      status: 'ok',
      components: { broker: { status: 'ok' } },
      facts: { waiting_blocks: 3 },
    });
  });

  it('is down without the broker', async () => {
    const broker = new MemoryBroker();
    broker.depth = () => Promise.reject(new Error('unavailable'));
    expect(await createDeserializerHealth(broker)()).toEqual({
      status: 'down',
      components: { broker: { status: 'down' } },
      facts: { waiting_blocks: null },
    });
  });
});
