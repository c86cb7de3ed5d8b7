import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { openBroker } from './open-broker';

const { broker: memory } = loadConfig({});
const log = createLogger('test', 'silent');

describe('openBroker', () => {
  it('opens the broker in memory for the stages of one process', async () => {
    const broker = await openBroker(memory, 'one process', log);
    expect(broker.constructor.name).toBe('MemoryBroker');
    await broker.close();
  });

  it('refuses the broker in memory for many processes and names the alternatives', async () => {
    await expect(openBroker(memory, 'many processes', log)).rejects.toThrow(/broker\.kind: memory .*rabbitmq/);
  });
});
