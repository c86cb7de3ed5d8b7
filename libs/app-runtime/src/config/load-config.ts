import type { z } from 'zod';
import { HistoryError } from '@antelope-history/schemas';
import { camelCaseKeys } from './camel-case';
import { readConfigFile } from './config-file';
import { assertChainsDiffer } from './chain-addresses';
import { ANY_NAME, type ConfigKey, findConfigKey, listConfigKeys } from './config-keys';
import { configSchema } from './config-schema';
import { nearestKey } from './nearest-key';
import { describeRenamedKeys, listRenamedKeys, moveRenamedKeys } from './renamed-keys';
import { type ConfigFor, readServerFiles, SERVER_SECTIONS, type ServerSection } from './server-sections';
import { overlay, setAt, type Settings } from './settings';

/** Most mistakes that a message names. */
const MAX_SHOWN = 20;

export interface LoadConfigOptions<Used extends ServerSection> {
  /** The file that `--config` names; `config.json` by default, if it exists. */
  file?: string | undefined;
  /**
   * The server sections that the program uses; all of them by default. The type of the result has only these, and no password
   * file or CA file of the others is opened.
   */
  uses?: readonly Used[];
  /** Receives a warning for the operator, for example about a renamed key. */
  warn?: (message: string) => void;
}

/**
 * Reads the configuration: the defaults, then the file, then `HISTORY_…` environment variables; later sources take precedence.
 * Throws `CONFIG_INVALID` that names each wrong key and the values that it accepts, never the given value: it may contain a
 * password.
 */
export function loadConfig<Used extends ServerSection = ServerSection>(
  environment: NodeJS.ProcessEnv,
  { file, uses, warn }: LoadConfigOptions<Used> = {},
): ConfigFor<Used> {
  const keys = listConfigKeys();
  const renamed = listRenamedKeys(keys);
  const { path, settings } = readConfigFile(file);
  const overrides = readEnvironment(environment, [...keys, ...renamed.map(({ former }) => former)]);
  const movedInFile = moveRenamedKeys(settings, renamed);
  const movedInEnvironment = moveRenamedKeys(overrides.settings, renamed);
  overlay(settings, overrides.settings);
  const sources = new Map([
    ...movedInFile.map(({ former, present }) => [present.name, former.name] as const),
    ...overrides.variables,
    ...movedInEnvironment.map(({ former, present }) => [present.name, former.variable ?? former.name] as const),
  ]);
  const result = configSchema.safeParse(settings);
  if (!result.success) {
    const issues = new Set(result.error.issues.flatMap((issue) => describeIssue(issue, keys, sources)));
    const where = path === undefined ? '' : `${path}: `;
    throw new HistoryError('CONFIG_INVALID', `${where}${[...issues].slice(0, MAX_SHOWN).join('; ')}${restOf(issues)}`);
  }
  const moved = new Set([...movedInFile, ...movedInEnvironment]);
  if (moved.size > 0) warn?.(describeRenamedKeys([...moved]));
  const config = camelCaseKeys(result.data);
  assertChainsDiffer(config.gateway.chains ?? {});
  return readServerFiles(config, uses ?? SERVER_SECTIONS);
}

/** The keys that environment variables set, and the variable of each. */
function readEnvironment(
  environment: NodeJS.ProcessEnv,
  keys: readonly ConfigKey[],
): { settings: Settings; variables: Map<string, string> } {
  const byVariable = new Map(keys.flatMap((key) => (key.variable === undefined ? [] : [[key.variable, key] as const])));
  const settings: Settings = {};
  const variables = new Map<string, string>();
  for (const [variable, value] of Object.entries(environment)) {
    const key = byVariable.get(variable);
    if (key && value !== undefined) {
      setAt(settings, key.name.split('.'), readVariable(value, key));
      variables.set(key.name, variable);
    } else if (/^HISTORY_\w+?__/.test(variable)) {
      // Other variables that begin with HISTORY_ do not belong to this service: Kubernetes sets HISTORY_API_SERVICE_HOST.
      const nearest = nearestKey(variable, [...byVariable.keys()]);
      const advice = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      throw new HistoryError('CONFIG_INVALID', `${variable} names no key of the configuration${advice}`);
    }
  }
  return { settings, variables };
}

/** A text that does not have the key's type stays a text, which the schema then rejects. */
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
    case 'object':
      return value;
  }
}

function restOf({ size }: ReadonlySet<string>): string {
  return size > MAX_SHOWN ? `; and ${size - MAX_SHOWN} more` : '';
}

/** `sources`: the environment variable or the former name that gave a key its value, by the key's name. */
function describeIssue(
  issue: z.core.$ZodIssue,
  keys: readonly ConfigKey[],
  sources: ReadonlyMap<string, string>,
): string[] {
  const path = issue.path.filter((part) => typeof part === 'string').join('.');
  if (issue.code === 'unrecognized_keys') {
    // A key that is not shown needs no advice, for which its name is compared with all others.
    return issue.keys.map((key, index) =>
      describeUnknownKey(path ? `${path}.${key}` : key, index < MAX_SHOWN ? keys : []),
    );
  }
  const key = findConfigKey(keys, path);
  if (!key) return [`${path}: takes an object with keys of its own`];
  const source = sources.get(key.name);
  return [`${path}${source === undefined ? '' : ` (${source})`}: takes ${key.takes}`];
}

function describeUnknownKey(unknown: string, keys: readonly ConfigKey[]): string {
  const nearest = nearestKey(unknown, namesOf(keys.filter((key) => isNear(key, unknown))));
  return `${unknown}: no such key${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/** The keys below a chosen name, which repeat those of other sections, are meant only beside it. */
function isNear({ name, variable }: ConfigKey, unknown: string): boolean {
  return variable !== undefined || unknown.startsWith(name.slice(0, name.indexOf(`${ANY_NAME}.`)));
}

/** The names of all keys and of the sections that hold them. */
function namesOf(keys: readonly ConfigKey[]): string[] {
  const names = keys.flatMap(({ name }) =>
    name.split('.').map((_, index, parts) => parts.slice(0, index + 1).join('.')),
  );
  return [...new Set(names)];
}
