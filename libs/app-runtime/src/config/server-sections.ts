import { assertCaFile } from './ca-files';
import type { Config } from './config-schema';
import { assertOnePassword, withPasswordFromFile } from './password-files';

/** Sections of the configuration that name servers, or the store's directory. */
export const SERVER_SECTIONS = ['ship', 'store', 'broker', 'keyValue'] as const;
export type ServerSection = (typeof SERVER_SECTIONS)[number];

/** The configuration of a program that uses the given server sections: its type has no others. */
export type ConfigFor<Used extends ServerSection> = Omit<Config, ServerSection> & Pick<Config, Used>;

/**
 * Replaces each `password_file` by the password that it contains, and checks each `ca_file`. Opens only files of the sections
 * in `uses`, and of these only files of the server that `kind` names: a program must start without permission to read the
 * secrets of servers that it never connects to. Throws `CONFIG_INVALID` that names the key.
 */
export function readServerFiles(config: Config, uses: readonly ServerSection[]): Config {
  const { ship, store, broker, keyValue } = config;
  assertOnePassword(store.elasticsearch, 'store.elasticsearch');
  assertOnePassword(broker.rabbitmq, 'broker.rabbitmq');
  assertOnePassword(keyValue.redis, 'key_value.redis');
  const read = { ...config };
  if (uses.includes('ship')) assertCaFile(ship, 'ship');
  if (uses.includes('store') && store.kind === 'elasticsearch') {
    read.store = { ...store, elasticsearch: withServerFiles(store.elasticsearch, 'store.elasticsearch') };
  }
  if (uses.includes('broker') && broker.kind === 'rabbitmq') {
    read.broker = { ...broker, rabbitmq: withServerFiles(broker.rabbitmq, 'broker.rabbitmq') };
  }
  if (uses.includes('keyValue') && keyValue.kind === 'redis') {
    read.keyValue = { ...keyValue, redis: withServerFiles(keyValue.redis, 'key_value.redis') };
  }
  return read;
}

type ServerFileKeys = Parameters<typeof assertCaFile>[0] & Parameters<typeof withPasswordFromFile>[0];

function withServerFiles<T extends ServerFileKeys>(section: T, name: string): T {
  assertCaFile(section, name);
  return withPasswordFromFile(section, name);
}
