import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithPrograms } from '@antelope-history/servers';
import { openRedisKeyValue } from '../src';
import { OwnRedis, until } from './own-redis';

// These tests start their own servers, because they kill and freeze them and change their passwords.
describeWithPrograms(['redis-server'], () => {
  describe('the key-value store on Redis', () => {
    let redis: OwnRedis;
    let store: KeyValue;
    let troubles: HistoryError[];

    const open = (url = redis.url): Promise<KeyValue> => {
      troubles = [];
      return openRedisKeyValue({ url, keyPrefix: 'test' }, (error) => troubles.push(error));
    };
    const responds = (): Promise<boolean> =>
      store.get('anything').then(
        () => true,
        () => false,
      );
    /** The time that a command takes to fail, in milliseconds. */
    const failingTime = async (command: () => Promise<unknown> = () => store.get('anything')): Promise<number> => {
      const startedAt = performance.now();
      await expect(command()).rejects.toMatchObject({ code: 'KEY_VALUE_UNAVAILABLE', retryable: true });
      return performance.now() - startedAt;
    };
    /** The shortest of several failing times: a busy machine delays some of them, waiting for the server delays all. */
    const quickestFailure = async (): Promise<number> => {
      const times: number[] = [];
      for (let tries = 0; tries < 10; tries++) times.push(await failingTime());
      return Math.min(...times);
    };

    beforeEach(async () => {
      redis = await OwnRedis.start();
    });
    afterEach(async () => {
      await store.close();
      await redis.kill();
    });

    it('stores its keys under its prefix', async () => {
      store = await open();
      await store.set('one', '1');
      await store.count('two', 5_000);
      await store.setMember('group', 'three', '3', 5_000);
      const keys = (await redis.command('KEYS', '*')) as string[];
      expect(keys.sort()).toEqual(['test:group', 'test:group:three', 'test:one', 'test:two']);
    });

    it('takes the number of a database from the URL', async () => {
      store = await open(`${redis.url}/3`);
      await store.set('one', '1');
      expect(await redis.command('DBSIZE')).toBe(0);
    });

    it('never leaves a counter without its time to live', async () => {
      store = await open();
      for (let round = 0; round < 20; round++) {
        const counting = Array.from({ length: 100 }, (_, index) => store.count(`${index % 10}`, 20 + (index % 7)));
        await Promise.all(counting);
      }
      for (let index = 0; index < 10; index++) expect(await redis.command('PTTL', `test:${index}`)).not.toBe(-1);
      await until('the counters have expired', async () => (await redis.command('DBSIZE')) === 0);
    });

    it('fails immediately while the server is unavailable, reports it once, and continues with an empty server', async () => {
      store = await open();
      await store.set('kept', 'value');
      await store.count('requests', 60_000);
      await store.count('requests', 60_000);
      await redis.kill();
      await until('the outage is noticed', () => troubles.length > 0);
      for (let tries = 0; tries < 5; tries++) {
        expect(await quickestFailure()).toBeLessThan(200);
        await sleep(200);
      }
      expect(troubles.map(({ code }) => code)).toEqual(['KEY_VALUE_UNAVAILABLE']);
      await redis.start();
      await until('the server is used again', responds);
      expect(await store.get('kept')).toBeUndefined();
      expect(await store.count('requests', 60_000)).toBe(1);
      await redis.kill();
      await until('the second outage is noticed', () => troubles.length > 1);
    });

    it('settles all commands in flight when the server is killed', async () => {
      store = await open();
      const commands = Array.from({ length: 3_000 }, (_, index) =>
        index % 3 === 0
          ? store.count('requests', 5_000)
          : index % 3 === 1
            ? store.setMember('group', String(index), 'x'.repeat(10_000), 5_000)
            : store.listMembers('group'),
      );
      const settled = Promise.allSettled(commands);
      await redis.kill();
      const reasons = (await settled).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(reasons.length).toBeGreaterThan(0);
      for (const reason of reasons) expect(reason).toMatchObject({ code: 'KEY_VALUE_UNAVAILABLE' });
      await redis.start();
      await until('the server is used again', responds);
      expect(await store.count('requests', 5_000)).toBe(1);
    });

    it('fails quickly when the server does not respond', async () => {
      store = await open();
      await store.set('one', '1');
      redis.freeze();
      expect(await failingTime()).toBeLessThan(5_000);
      expect(await quickestFailure()).toBeLessThan(200);
      expect(troubles.map(({ message }) => message)).toEqual([expect.stringContaining('did not answer in time')]);
      redis.thaw();
      await until('the server is used again', responds);
      expect(await store.get('one')).toBe('1');
    });

    it('does not treat a server as unresponsive because its own process was busy', async () => {
      store = await open();
      const reply = store.set('one', '1');
      // The command is sent before the busy loop. In the turn after the loop, timers run before sockets are read.
      await new Promise(setImmediate);
      for (const busyUntil = Date.now() + 1_500; Date.now() < busyUntil;);
      await reply;
      expect(troubles).toEqual([]);
    });

    it('counts and lists from the beginning after a flush of all data', async () => {
      store = await open();
      await store.count('requests', 60_000);
      await store.setMember('group', 'one', '1', 60_000);
      await redis.command('FLUSHALL');
      expect(await store.listMembers('group')).toEqual(new Map());
      expect(await store.count('requests', 60_000)).toBe(1);
      await store.setMember('group', 'one', '2', 60_000);
      expect(await store.listMembers('group')).toEqual(new Map([['one', '2']]));
      expect(troubles).toEqual([]);
    });

    it('limits the number of commands in flight, and rejects the others with that reason', async () => {
      store = await open();
      const results = await Promise.allSettled(Array.from({ length: 3_000 }, () => store.count('requests', 60_000)));
      // On a busy machine, other commands may also fail, because they exceed the time limit.
      const refused = results.filter(
        (result) => result.status === 'rejected' && /commands in flight$/.test((result.reason as Error).message),
      );
      expect(refused).toHaveLength(1_000);
      await until('the others are counted', () => store.count('requests', 60_000).then((count) => count > 2_000));
    });

    it('reports a command that the server refuses, and continues', async () => {
      store = await open();
      await store.setMember('group', 'one', '1', 5_000);
      await expect(store.get('group')).rejects.toMatchObject({
        code: 'KEY_VALUE_UNAVAILABLE',
        message: 'the key-value store refuses a command (WRONGTYPE)',
      });
      expect(await responds()).toBe(true);
    });

    it('completes the commands in flight before it closes, and refuses later commands', async () => {
      store = await open();
      const commands = Array.from({ length: 100 }, () => store.count('requests', 5_000));
      await store.close();
      await Promise.all(commands);
      await expect(store.get('one')).rejects.toMatchObject({ code: 'STOPPED' });
    });

    it('closes while the server is frozen, and while it is unavailable', async () => {
      store = await open();
      redis.freeze();
      const lost = store.get('one').catch((error: unknown) => error);
      const startedAt = performance.now();
      await store.close();
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      expect(await lost).toBeInstanceOf(HistoryError);
      redis.thaw();
      store = await open();
      await redis.kill();
      await until('the outage is noticed', () => troubles.length > 0);
      await store.close();
    });

    describe('with a server that is unavailable at the start', () => {
      it('opens without waiting, and uses the server as soon as it is available', async () => {
        await redis.kill();
        const startedAt = performance.now();
        store = await open();
        expect(performance.now() - startedAt).toBeLessThan(10_000);
        expect(troubles.map(({ code }) => code)).toEqual(['KEY_VALUE_UNAVAILABLE']);
        expect(await quickestFailure()).toBeLessThan(200);
        await redis.start();
        await until('the server is used', responds);
      });

      it('opens within the time limit when the server does not respond', async () => {
        redis.freeze();
        const startedAt = performance.now();
        store = await open();
        expect(performance.now() - startedAt).toBeLessThan(10_000);
        expect(await quickestFailure()).toBeLessThan(200);
        redis.thaw();
        await until('the server is used', responds);
      });
    });
  });
});
