import { runBrokerContract } from '@antelope-history/broker/contract';
import { createVhost, describeWithService, type Vhost } from '@antelope-history/servers';
import type { Broker } from '@antelope-history/broker';
import { openRabbitmqBroker } from '../src';

jest.setTimeout(120_000);

const SPLIT_BYTES = 64 * 1024;

describeWithService(['rabbitmq'], (url) => {
  let vhost: Vhost;
  const open: Broker[] = [];

  beforeAll(async () => {
    vhost = await createVhost(url);
  });

  afterAll(() => vhost.remove());

  for (const queueType of ['quorum', 'classic'] as const) {
    const openBroker = async (): Promise<Broker> => {
      const options = { ...vhost, splitBytes: SPLIT_BYTES, queueType };
      const broker = await openRabbitmqBroker(options, (error) => expect(error).toBeUndefined(), {});
      open.push(broker);
      return broker;
    };
    runBrokerContract({
      name: `on RabbitMQ, with ${queueType} queues`,
      open: async () => ({
        broker: await openBroker(),
        dispose: async () => {
          await Promise.all(open.splice(0).map((broker) => broker.close()));
        },
      }),
      largeBytes: 4 * SPLIT_BYTES,
      patienceMs: 100,
      restoresOrder: queueType === 'classic',
      durability: { reconnect: openBroker },
    });
  }
});
