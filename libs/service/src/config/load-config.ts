import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { HistoryError } from '@antelope-history/schemas';
import { assertCaFile } from './ca-files';
import { type CamelCaseKeys, camelCaseKeys } from './camel-case';
import { type ConfigKey, listConfigKeys } from './config-keys';
import { configSchema } from './config-schema';
import { withPasswordFromFile } from './password-files';

export type Config = CamelCaseKeys<z.output<typeof configSchema>>;

type ServerFileKeys = Parameters<typeof assertCaFile>[0] & Parameters<typeof withPasswordFromFile>[0];

type Settings = Record<string, unknown>;

const DEFAULT_PATH = 'config.json';

/**
 * Reads the configuration: the defaults, over them the file (`--config PATH`, else `config.json` when it is there),
 * over it `HISTORY_…` environment variables. Throws `CONFIG_INVALID` that names each wrong key and what it takes,
 * never its value: a value may hold a password.
 *
 * @param args the command line without the program
 */
export function loadConfig(args: string[], environment: NodeJS.ProcessEnv): Config {
  const keys = listConfigKeys();
  const settings = readConfigFile(configPath(args));
  const fromEnvironment = applyEnvironment(settings, environment, keys);
  const result = configSchema.safeParse(settings);
  if (result.success) return withFiles(camelCaseKeys(result.data));
  const issues = result.error.issues.map((issue) => describeIssue(issue, keys, fromEnvironment));
  throw new HistoryError('CONFIG_INVALID', [...new Set(issues)].join('; '));
}

/** With what the files hold that it names. */
function withFiles(config: Config): Config {
  const { ship, store, broker, keyValue } = config;
  assertCaFile(ship, 'ship');
  return {
    ...config,
    store: { ...store, elasticsearch: withServerFiles(store.elasticsearch, 'store.elasticsearch') },
    broker: { ...broker, rabbitmq: withServerFiles(broker.rabbitmq, 'broker.rabbitmq') },
    keyValue: { ...keyValue, redis: withServerFiles(keyValue.redis, 'key_value.redis') },
  };
}

function withServerFiles<T extends ServerFileKeys>(section: T, name: string): T {
  assertCaFile(section, name);
  return withPasswordFromFile(section, name);
}

function configPath(args: string[]): string | undefined {
  try {
    return parseArgs({ args, options: { config: { type: 'string' } } }).values.config;
  } catch (error) {
    throw new HistoryError('CONFIG_INVALID', 'the command line takes only --config PATH', { cause: error });
  }
}

function readConfigFile(path: string | undefined): Settings {
  let text: string;
  try {
    text = readFileSync(path ?? DEFAULT_PATH, 'utf8');
  } catch (error) {
    if (path === undefined) return {};
    throw new HistoryError('CONFIG_INVALID', `--config: ${path} can not be read`, { cause: error });
  }
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings as Settings;
  } catch (error) {
    throw new HistoryError('CONFIG_INVALID', `${path ?? DEFAULT_PATH} is not JSON`, { cause: error });
  }
  throw new HistoryError('CONFIG_INVALID', `${path ?? DEFAULT_PATH} must hold a JSON object`);
}

/** Sets what the environment names and gives the names of those keys. */
function applyEnvironment(settings: Settings, environment: NodeJS.ProcessEnv, keys: ConfigKey[]): Set<string> {
  const byVariable = new Map(keys.map((key) => [key.variable, key]));
  const applied = new Set<string>();
  for (const [variable, value] of Object.entries(environment)) {
    const key = byVariable.get(variable);
    if (key && value !== undefined) {
      setAt(settings, key.name.split('.'), readVariable(value, key));
      applied.add(key.name);
    } else if (/^HISTORY_\w+?__/.test(variable)) {
      // Others that begin with HISTORY_ are not ours to judge: Kubernetes sets HISTORY_API_SERVICE_HOST for a service.
      throw new HistoryError('CONFIG_INVALID', `${variable} names no key of the configuration`);
    }
  }
  return applied;
}

/** What can't be read as the key's type stays a text, which the schema then refuses. */
function readVariable(value: string, key: ConfigKey): unknown {
  switch (key.type) {
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    case 'array':
      return value === '' ? [] : value.split(',').map((item) => item.trim());
    case 'string':
      return value;
  }
}

function setAt(settings: Settings, path: string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) {
    settings[head] = value;
    return;
  }
  // A section that the file has as something else is replaced: the schema would refuse it anyway.
  const section = settings[head];
  const inner = typeof section === 'object' && section !== null ? (section as Settings) : {};
  settings[head] = inner;
  setAt(inner, rest, value);
}

function describeIssue(issue: z.core.$ZodIssue, keys: ConfigKey[], fromEnvironment: Set<string>): string {
  const path = issue.path.filter((part) => typeof part === 'string').join('.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => (path ? `${path}.${key}` : key));
    return `${unknown.join(', ')}: no such key`;
  }
  const key = keys.find(({ name }) => name === path);
  if (!key) return `${path}: takes an object with keys of its own`;
  const source = fromEnvironment.has(key.name) ? ` (${key.variable})` : '';
  return `${key.name}${source}: takes ${key.takes}`;
}
