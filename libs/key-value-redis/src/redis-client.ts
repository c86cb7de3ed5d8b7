import { readFileSync } from 'node:fs';
import { createClient } from 'redis';
import { HistoryError } from '@antelope-history/schemas';

/** The connection settings, which `docs/configuration.md` describes under `key_value.redis`. */
export interface RedisOptions {
  url: string;
  username?: string | undefined;
  password?: string | undefined;
  caFile?: string | undefined;
  keyPrefix: string;
}

export type RedisClient = ReturnType<typeof createRedisClient>;

/**
 * Creates a client that is not connected yet. A client is valid for one connection; the caller creates a new client when
 * the connection ends. Throws `CONFIG_INVALID`.
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
    // The error has no cause, because the library's message contains the URL.
    throw new HistoryError(
      'CONFIG_INVALID',
      'key_value.redis.url: expects redis://HOST:PORT, with the number of a database as an optional path',
    );
  }
}

function tlsOptions({ url, caFile }: RedisOptions): { tls: true; ca?: Buffer } | Record<string, never> {
  const isTls = url.startsWith('rediss:');
  if (caFile === undefined) return isTls ? { tls: true } : {};
  if (!isTls)
    throw new HistoryError('CONFIG_INVALID', 'key_value.redis.ca_file: requires a url that begins with rediss:');
  try {
    return { tls: true, ca: readFileSync(caFile) };
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `key_value.redis.ca_file: ${caFile} cannot be read`, { cause });
  }
}
