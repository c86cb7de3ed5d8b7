import type { KeyValue } from '@antelope-history/key-value';
import type { Config, Logger } from '@antelope-history/app-runtime';
import { openKeyValue } from './open-key-value';

/** A key-value store for each chain of a gateway. */
export interface ChainKeyValues {
  /** Throws for a chain that `gateway.chains` does not name. */
  of(chain: string): KeyValue;
  close(): Promise<void>;
}

/**
 * Opens the key-value store once for each chain that `gateway.chains` names, with the key prefix of the chain's processes.
 * Rejects as `openKeyValue` does.
 */
export async function openChainKeyValues(
  { gateway, keyValue }: Pick<Config, 'gateway' | 'keyValue'>,
  log: Logger,
): Promise<ChainKeyValues> {
  const opened = new Map<string, KeyValue>();
  const close = async (): Promise<void> => {
    for (const store of opened.values()) await store.close();
  };
  try {
    for (const [name, { keyPrefix = name }] of Object.entries(gateway.chains ?? {})) {
      const config = { ...keyValue, redis: { ...keyValue.redis, keyPrefix } };
      opened.set(name, await openKeyValue(config, 'one process', log));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    of(chain) {
      const store = opened.get(chain);
      if (!store) throw new Error(`no chain ${chain} is configured`);
      return store;
    },
    close,
  };
}
