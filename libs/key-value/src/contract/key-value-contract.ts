import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type KeyValue, MAX_MEMBERS } from '../key-value';

/** What an adapter provides for the contract tests. */
export interface KeyValueContract {
  name: string;
  /** Opens the store; it may contain keys of other tests. */
  open(): Promise<KeyValue>;
  /** Advances the store's clock by at least `ms` milliseconds; without this method the tests wait. */
  pass?(ms: number): Promise<void>;
}

/** Lifetime of what a test reads before it expires. A busy machine may delay such a read by several hundred milliseconds. */
const OBSERVED_LIFETIME_MS = 3_000;

/** The contract of the key-value port as tests of an adapter. Call it at the top level of a Jest test file. */
export function runKeyValueContract(contract: KeyValueContract): void {
  const pass = contract.pass ?? ((ms: number) => setTimeout(ms + 20));

  async function withStore(body: (store: KeyValue, key: string) => Promise<void>): Promise<void> {
    const store = await contract.open();
    try {
      await body(store, `contract:${randomUUID()}`);
    } finally {
      await store.close();
    }
  }

  describe(`the key-value contract: ${contract.name}`, () => {
    it('returns undefined for a key that was never set', () =>
      withStore(async (store, key) => {
        expect(await store.get(key)).toBeUndefined();
      }));

    it('returns the value that was set last, any text', () =>
      withStore(async (store, key) => {
        for (const value of ['one', '', 'ünïcödé 🚀\n\0', 'x'.repeat(100_000)]) {
          await store.set(key, value);
          expect(await store.get(key)).toBe(value);
        }
      }));

    it('keeps keys apart', () =>
      withStore(async (store, key) => {
        await store.set(`${key}:a`, '1');
        await store.set(`${key}:b`, '2');
        await store.delete(`${key}:a`);
        expect([await store.get(`${key}:a`), await store.get(`${key}:b`)]).toEqual([undefined, '2']);
        await store.delete(`${key}:a`);
      }));

    it('expires a value after its lifetime, not before', () =>
      withStore(async (store, key) => {
        await store.set(key, 'short', OBSERVED_LIFETIME_MS);
        await store.set(`${key}:kept`, 'long');
        expect(await store.get(key)).toBe('short');
        await pass(OBSERVED_LIFETIME_MS);
        expect(await store.get(key)).toBeUndefined();
        expect(await store.get(`${key}:kept`)).toBe('long');
      }));

    it('applies the lifetime of the last set only', () =>
      withStore(async (store, key) => {
        await store.set(key, 'first', 100);
        await store.set(key, 'second');
        await pass(100);
        expect(await store.get(key)).toBe('second');
        await store.set(key, 'third', 100);
        await pass(100);
        expect(await store.get(key)).toBeUndefined();
      }));

    it('counts from one', () =>
      withStore(async (store, key) => {
        expect([await store.count(key, 5_000), await store.count(key, 5_000)]).toEqual([1, 2]);
        expect(await store.count(`${key}:other`, 5_000)).toBe(1);
        expect(await store.get(key)).toBe('2');
        await store.delete(key);
        expect(await store.count(key, 5_000)).toBe(1);
      }));

    it('counts by any amount', () =>
      withStore(async (store, key) => {
        expect(await store.count(key, 5_000, 40)).toBe(40);
        expect(await store.count(key, 5_000, 0)).toBe(40);
        expect(await store.count(key, 5_000)).toBe(41);
        expect(await store.count(key, 5_000, 1_000_000_000_000)).toBe(1_000_000_000_041);
        await store.count(`${key}:short`, 300, 7);
        await pass(300);
        expect(await store.count(`${key}:short`, 300, 2)).toBe(2);
      }));

    it('restarts a counter when the lifetime of its first increment ends; later increments do not extend it', () =>
      withStore(async (store, key) => {
        await store.count(key, OBSERVED_LIFETIME_MS);
        await pass(OBSERVED_LIFETIME_MS / 2);
        expect(await store.count(key, OBSERVED_LIFETIME_MS)).toBe(2);
        await pass(OBSERVED_LIFETIME_MS / 2);
        expect(await store.count(key, OBSERVED_LIFETIME_MS)).toBe(1);
        expect(await store.count(key, OBSERVED_LIFETIME_MS)).toBe(2);
      }));

    it('counts every one of many concurrent increments', () =>
      withStore(async (store, key) => {
        const counts = await Promise.all(Array.from({ length: 200 }, () => store.count(key, 5_000)));
        expect(counts.sort((left, right) => left - right)).toEqual(
          Array.from({ length: 200 }, (_, index) => index + 1),
        );
      }));

    it('lists the members of a group with their last values', () =>
      withStore(async (store, group) => {
        expect(await store.listMembers(group)).toEqual(new Map());
        await store.setMember(group, 'one', 'first', 5_000);
        await store.setMember(group, 'one', 'ünïcödé 🚀', 5_000);
        await store.setMember(group, 'two:2', '', 5_000);
        await store.setMember(`${group}:other`, 'three', '3', 5_000);
        expect(await store.listMembers(group)).toEqual(
          new Map([
            ['one', 'ünïcödé 🚀'],
            ['two:2', ''],
          ]),
        );
      }));

    it('lists no deleted member', () =>
      withStore(async (store, group) => {
        await store.setMember(group, 'one', '1', 5_000);
        await store.setMember(group, 'two', '2', 5_000);
        await store.deleteMember(group, 'one');
        await store.deleteMember(group, 'never there');
        expect(await store.listMembers(group)).toEqual(new Map([['two', '2']]));
      }));

    it('lists no expired member, and a member that was added again', () =>
      withStore(async (store, group) => {
        await store.setMember(group, 'silent', '1', 200);
        await store.setMember(group, 'stays', '2', 5_000);
        await pass(200);
        expect(await store.listMembers(group)).toEqual(new Map([['stays', '2']]));
        await store.setMember(group, 'silent', '3', 5_000);
        expect([...(await store.listMembers(group)).keys()].sort()).toEqual(['silent', 'stays']);
      }));

    it('lists at most MAX_MEMBERS members', () =>
      withStore(async (store, group) => {
        const members = Array.from({ length: MAX_MEMBERS + 100 }, (_, index) => `member ${index}`);
        await inGroups(members, (member) => store.setMember(group, member, member, 60_000));
        const listed = await store.listMembers(group);
        expect(listed.size).toBe(MAX_MEMBERS);
        for (const [member, value] of listed) expect(value).toBe(member);
        await inGroups(members, (member) => store.deleteMember(group, member));
      }));

    it('sets and gets many values concurrently', () =>
      withStore(async (store, key) => {
        await Promise.all(Array.from({ length: 50 }, (_, index) => store.set(`${key}:${index}`, String(index))));
        const values = await Promise.all(Array.from({ length: 50 }, (_, index) => store.get(`${key}:${index}`)));
        expect(values).toEqual(Array.from({ length: 50 }, (_, index) => String(index)));
      }));
  });
}

/** Concurrent calls that every adapter completes within its time limit, on a busy machine too. */
const GROUP = 50;

async function inGroups(members: readonly string[], run: (member: string) => Promise<void>): Promise<void> {
  for (let start = 0; start < members.length; start += GROUP) {
    await Promise.all(members.slice(start, start + GROUP).map(run));
  }
}
