import { MemoryKeyValue } from './memory-key-value';

describe('MemoryKeyValue', () => {
  it('removes the expired counters of former clients', async () => {
    let now = 0;
    const store = new MemoryKeyValue(() => now);
    await store.set('kept', 'value');
    for (let client = 0; client < 60_000; client++) {
      await store.count(`client ${client}`, 1_000);
      now += 1;
    }
    expect(store.size).toBeLessThan(21_000);
    expect(await store.get('kept')).toBe('value');
    expect(await store.get('client 59999')).toBe('1');
  });

  it('keeps all live values', async () => {
    const store = new MemoryKeyValue(() => 0);
    for (let key = 0; key < 30_000; key++) await store.set(`key ${key}`, String(key), 1_000);
    expect(await store.get('key 0')).toBe('0');
    expect(store.size).toBe(30_000);
  });
});
