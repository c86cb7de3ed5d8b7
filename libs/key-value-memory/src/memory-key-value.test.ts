import { setTimeout as sleep } from 'node:timers/promises';
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

  describe('when the clock of the machine is set', () => {
    const HOUR_MS = 3_600_000;
    let setByMs: number;
    const setClock = (byMs: number): void => void (setByMs = byMs);

    beforeEach(() => {
      const right = Date.now.bind(Date);
      setByMs = 0;
      jest.spyOn(Date, 'now').mockImplementation(() => right() + setByMs);
    });
    afterEach(() => jest.restoreAllMocks());

    it('keeps no value for longer than it lives', async () => {
      const store = new MemoryKeyValue();
      await store.set('key', 'value', 1);
      await store.count('counter', 1);
      await store.setMember('group', 'member', 'value', 1);
      setClock(-HOUR_MS);
      await sleep(20);
      expect(await store.get('key')).toBeUndefined();
      expect(await store.count('counter', 1)).toBe(1);
      expect(await store.listMembers('group')).toEqual(new Map());
    });

    it('loses no value before its time', async () => {
      const store = new MemoryKeyValue();
      await store.set('key', 'value', HOUR_MS);
      await store.setMember('group', 'member', 'value', HOUR_MS);
      setClock(2 * HOUR_MS);
      expect(await store.get('key')).toBe('value');
      expect(await store.listMembers('group')).toEqual(new Map([['member', 'value']]));
    });
  });
});
