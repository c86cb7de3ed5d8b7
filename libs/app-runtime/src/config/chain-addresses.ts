import { HistoryError } from '@antelope-history/schemas';
import type { Config } from './config-schema';

type Chains = NonNullable<Config['gateway']['chains']>;

/** Throws `CONFIG_INVALID` when two chains have an address in common: a client of one would get the history of the other. */
export function assertChainsDiffer(chains: Chains): void {
  const owners = new Map<string, string>();
  for (const [name, chain] of Object.entries(chains)) {
    for (const key of keysOf(name, chain)) {
      const owner = owners.get(key.value) ?? name;
      if (owner !== name) {
        throw new HistoryError('CONFIG_INVALID', `gateway.chains.${name}.${key.name}: the chain ${owner} has it, too`);
      }
      owners.set(key.value, name);
    }
  }
}

/** What only one chain can have. */
function keysOf(name: string, chain: Chains[string]): { name: string; value: string }[] {
  const { historyApiUrl, chainApiUrl, traceApiUrl, chainNodeUrl = [], hosts, chainId, keyPrefix = name } = chain;
  const urlsOf = (key: string, urls: string[]) => urls.map((url) => ({ name: key, value: new URL(url).href }));
  return [
    ...urlsOf('history_api_url', historyApiUrl),
    ...urlsOf('chain_api_url', chainApiUrl),
    ...urlsOf('trace_api_url', traceApiUrl),
    ...urlsOf('chain_node_url', chainNodeUrl),
    ...hosts.map((host) => ({ name: 'hosts', value: `host ${host}` })),
    ...(chainId === undefined ? [] : [{ name: 'chain_id', value: `id ${chainId}` }]),
    { name: 'key_prefix', value: `prefix ${keyPrefix}` },
  ];
}
