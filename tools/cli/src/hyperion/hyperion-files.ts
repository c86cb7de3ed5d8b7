import path from 'node:path';
import { readJsonObject } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';

/** An object of a JSON file; no value in it is checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The two files of Hyperion 4 that describe one chain. */
export interface HyperionFiles {
  /** Short name of the chain: `eos` of `chains/eos.config.json`. */
  chainName: string;
  connections: JsonObject;
  /** `chains.NAME` of the connections. */
  chain: JsonObject;
  /** `chains/NAME.config.json`. */
  settings: JsonObject;
}

/**
 * Reads `connections.json` and `chains/NAME.config.json` below a folder. Throws `CONFIG_INVALID` when a file cannot be read,
 * is no JSON object, or does not name the chain.
 */
export function readHyperionFiles(folder: string, chainName: string): HyperionFiles {
  if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(chainName)) {
    throw new HistoryError('CONFIG_INVALID', '--chain: takes the name of a chain as in connections.json');
  }
  const connectionsFile = path.join(folder, 'connections.json');
  const connections = readJsonObject(connectionsFile);
  const chains = isObject(connections.chains) ? connections.chains : {};
  const chain = Object.hasOwn(chains, chainName) ? chains[chainName] : undefined;
  if (!isObject(chain)) {
    const names = Object.keys(chains).slice(0, 10).join(', ');
    throw new HistoryError('CONFIG_INVALID', `${connectionsFile}: has no chain ${chainName}, but: ${names || 'none'}`);
  }
  const settings = readJsonObject(path.join(folder, 'chains', `${chainName}.config.json`));
  return { chainName, connections, chain, settings };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
