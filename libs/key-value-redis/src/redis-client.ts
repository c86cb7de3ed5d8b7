import { readFileSync } from 'node:fs';
import { createClient } from 'redis';
import { HistoryError } from '@antelope-history/schemas';

/** Where the server is; the meaning of each is in `docs/configuration.md` under `key_value.redis`. */
export interface RedisOptions {
  url: string;
  username?: string | undefined;
  password?: string | undefined;
  caFile?: string | undefined;
  keyPrefix: string;
}

export type RedisClient = ReturnType<typeof createRedisClient>;

/**
 * A client that is not connected yet. It lives as long as one connection: those who use it make another one when the
 * connection ends. Throws `CONFIG_INVALID`.
 */
export function createRedisClient(options: RedisOptions, connectLimitMs: number) {
  const tls = tlsOptions(options);
  try {
    return createClient({
      url: options.url,
      ...(options.username !== undefined && { username: options.username }),
      ...(options.password !== undefined && { password: options.password }),
      keyPrefix: `${options.keyPrefix}:`,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      socket: { ...tls, connectTimeout: connectLimitMs, reconnectStrategy: false },
    });
  } catch {
    // Its own words hold the URL.
    throw new HistoryError(
      'CONFIG_INVALID',
      "key_value.redis.url: takes redis://HOST:PORT, or with a database's number as path",
    );
  }
}

function tlsOptions({ url, caFile }: RedisOptions): { tls: true; ca?: Buffer } | Record<string, never> {
  const isTls = url.startsWith('rediss:');
  if (caFile === undefined) return isTls ? { tls: true } : {};
  if (!isTls)
    throw new HistoryError('CONFIG_INVALID', 'key_value.redis.ca_file: is for a url that begins with rediss:');
  try {
    return { tls: true, ca: readFileSync(caFile) };
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `key_value.redis.ca_file: ${caFile} can not be read`, { cause });
  }
}
