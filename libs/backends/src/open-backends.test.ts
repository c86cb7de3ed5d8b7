import { createLogger, loadConfig } from '@antelope-history/service';
import { openBroker } from './open-backends';

const { broker: memory } = loadConfig([], {});
const log = createLogger('test', 'silent');

describe('openBroker', () => {
  it('gives the stages of one process a broker', async () => {
    const broker = await openBroker(memory, 'one process', log);
    await broker.close();
  });

  it('refuses to join processes over memory, and says what to do', async () => {
    await expect(openBroker(memory, 'many processes', log)).rejects.toThrow(/broker\.kind: memory .*rabbitmq/);
  });
});
