import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { openKeyValue } from './open-key-value';

const { keyValue: memory } = loadConfig({});
const log = createLogger('test', 'silent');

describe('openKeyValue', () => {
  it('opens a store in memory for one process', async () => {
    const keyValue = await openKeyValue(memory, 'one process', log);
    expect(keyValue.constructor.name).toBe('MemoryKeyValue');
    await keyValue.close();
  });

  it('refuses the store in memory for many processes and names the alternatives', async () => {
    await expect(openKeyValue(memory, 'many processes', log)).rejects.toThrow(/key_value\.kind: memory .*redis/);
  });
});
