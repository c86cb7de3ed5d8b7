import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import { logConnectionErrors, type Config, type Logger } from '@antelope-history/app-runtime';

/** Which processes share the keys: only this one, or several. */
export type KeyValueScope = 'one process' | 'many processes';

/**
 * Opens the key-value store that `key_value.kind` names. Only that adapter is loaded. Logs each failed attempt to connect.
 * Rejects with `CONFIG_INVALID` when the configured store cannot serve the scope, and with the errors of the adapter's own
 * `open…`.
 */
export async function openKeyValue(config: Config['keyValue'], scope: KeyValueScope, log: Logger): Promise<KeyValue> {
  if (config.kind === 'redis') {
    const { openRedisKeyValue } = await import('@antelope-history/key-value-redis');
    return openRedisKeyValue(config.redis, logConnectionErrors(log, 'the key-value store'));
  }
  if (scope === 'many processes') {
    throw new HistoryError(
      'CONFIG_INVALID',
      'key_value.kind: memory tells of progress within one process only; name redis, or run the app standalone, which ' +
        'has all stages',
    );
  }
  const { MemoryKeyValue } = await import('@antelope-history/key-value-memory');
  return new MemoryKeyValue();
}
