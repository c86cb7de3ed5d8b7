import { type KeyValue, MAX_MEMBERS } from '@antelope-history/key-value';
import type { HistoryError } from '@antelope-history/schemas';
import type { RedisOptions } from './redis-client';
import { RedisConnection } from './redis-connection';

/**
 * Connects to the server. `onTrouble` receives each error code once per outage. If the server is unavailable, also at the
 * start, connecting continues in the background, because no response depends on the store. Rejects with `ACCESS_REFUSED`
 * when the server refuses the user, with `CERTIFICATE_REFUSED`, and with `CONFIG_INVALID`.
 */
export async function openRedisKeyValue(
  options: RedisOptions,
  onTrouble: (error: HistoryError) => void,
): Promise<KeyValue> {
  return new RedisKeyValue(await RedisConnection.open(options, onTrouble));
}

class RedisKeyValue implements KeyValue {
  constructor(private readonly connection: RedisConnection) {}

  get(key: string): Promise<string | undefined> {
    return this.connection.run(async (client) => (await client.get(key)) ?? undefined);
  }

  async set(key: string, value: string, ttlMs?: number): Promise<void> {
    await this.connection.run((client) => client.set(key, value, ttlMs === undefined ? {} : expiringAfter(ttlMs)));
  }

  async delete(key: string): Promise<void> {
    await this.connection.run((client) => client.del(key));
  }

  /** Uses one transaction, in which the server's clock does not advance, so that every counter has a time to live. */
  count(key: string, ttlMs: number, amount = 1): Promise<number> {
    return this.connection.run(async (client) => {
      const [, counted] = await client
        .multi()
        .set(key, '0', { ...expiringAfter(ttlMs), condition: 'NX' })
        .incrBy(key, amount)
        .execTyped();
      return counted;
    });
  }

  /** Stores each member under its own key, which the server expires, and its name in a set, which `listMembers` reads. */
  async setMember(group: string, member: string, value: string, ttlMs: number): Promise<void> {
    await this.connection.run((client) =>
      client.multi().set(memberKey(group, member), value, expiringAfter(ttlMs)).sAdd(group, member).exec(),
    );
  }

  async deleteMember(group: string, member: string): Promise<void> {
    await this.connection.run((client) => client.multi().del(memberKey(group, member)).sRem(group, member).exec());
  }

  async listMembers(group: string): Promise<Map<string, string>> {
    const names = await this.connection.run((client) => client.sRandMemberCount(group, MAX_MEMBERS));
    if (names.length === 0) return new Map();
    const values = await this.connection.run((client) => client.mGet(names.map((name) => memberKey(group, name))));
    const members = new Map<string, string>();
    const expired: string[] = [];
    names.forEach((name, index) => {
      const value = values[index];
      if (typeof value === 'string') members.set(name, value);
      else expired.push(name);
    });
    // This can remove a member that was set again in the meantime; its next `setMember` adds it again.
    if (expired.length > 0) await this.connection.run((client) => client.sRem(group, expired));
    return members;
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

function memberKey(group: string, member: string): string {
  return `${group}:${member}`;
}

/** Redis accepts whole milliseconds only. */
function expiringAfter(ttlMs: number) {
  return { expiration: { type: 'PX', value: Math.max(1, Math.ceil(ttlMs)) } } as const;
}
