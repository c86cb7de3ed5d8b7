import { type KeyValue, MAX_MEMBERS } from '@antelope-history/key-value';
import type { HistoryError } from '@antelope-history/schemas';
import type { RedisOptions } from './redis-client';
import { RedisConnection } from './redis-connection';

/**
 * Connects to the server. `onTrouble` is told once of each outage; connecting goes on behind it, also when the server is
 * away from the beginning: nothing that an answer depends on is there. Rejects with `ACCESS_REFUSED` or
 * `CERTIFICATE_REFUSED` when one refuses the other, and with `CONFIG_INVALID`.
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

  /** One transaction, in which the server's clock stands still: a counter is never there without its time to live. */
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

  /** A key for each member, so that the server forgets it in time, and a set of their names, so that they are found. */
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
    const gone: string[] = [];
    names.forEach((name, index) => {
      const value = values[index];
      if (typeof value === 'string') members.set(name, value);
      else gone.push(name);
    });
    // One that came back in between is added again when it next speaks.
    if (gone.length > 0) await this.connection.run((client) => client.sRem(group, gone));
    return members;
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

function memberKey(group: string, member: string): string {
  return `${group}:${member}`;
}

/** Redis takes whole milliseconds. */
function expiringAfter(ttlMs: number) {
  return { expiration: { type: 'PX', value: Math.max(1, Math.ceil(ttlMs)) } } as const;
}
