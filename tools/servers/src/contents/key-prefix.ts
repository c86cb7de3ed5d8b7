import { createFreshName } from './fresh-name';

/** A new prefix for keys. */
export interface KeyPrefix {
  /** URL of Redis. */
  url: string;
  prefix: string;
  /** Removes all keys that begin with the prefix. */
  remove(): Promise<void>;
}

const CONNECT_LIMIT_MS = 10_000;

/** Creates nothing on the server. */
export function createKeyPrefix(url: string, prefix = createFreshName()): KeyPrefix {
  return {
    url,
    prefix,
    async remove() {
      const { createClient } = await import('redis');
      const client = createClient({ url, socket: { connectTimeout: CONNECT_LIMIT_MS, reconnectStrategy: false } });
      client.on('error', () => undefined);
      await client.connect();
      try {
        for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
          if (keys.length > 0) await client.unlink(keys);
        }
      } finally {
        client.destroy();
      }
    },
  };
}
