import { createLogger, loadConfig } from '@antelope-history/service';
import { openBroker, openKeyValue } from './open-backends';

const { broker: memory, keyValue: memoryKeyValue } = loadConfig([], {});
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

describe('openKeyValue', () => {
  it('gives one process a store of its own', async () => {
    const keyValue = await openKeyValue(memoryKeyValue, 'one process', log);
    await keyValue.close();
  });

  it('refuses to join processes over memory, and says what to do', async () => {
    await expect(openKeyValue(memoryKeyValue, 'many processes', log)).rejects.toThrow(
      /key_value\.kind: memory .*redis/,
    );
  });
});
