import { type HyperionFiles, isObject, type JsonObject } from './hyperion-files';
import { HYPERION_KEYS, ownName, type Rule } from './hyperion-keys';

/** What became of one key of Hyperion. */
export interface TranslatedKey {
  from: string;
  /** Keys of this service; none when the key has no counterpart. */
  to: string[];
  note: string | undefined;
}

export interface TranslatedConfiguration {
  /** The configuration, as the JSON of its file. */
  config: Record<string, unknown>;
  /** Passwords by the name of their file. */
  secrets: Map<string, string>;
  keys: TranslatedKey[];
}

export interface TranslationOptions {
  /** Whether the embedded store is used instead of the servers. */
  embedded: boolean;
  /** Path of a file with a password, in the configuration. */
  secretPath: (file: string) => string;
}

/** Translates the configuration of one chain. Throws `CONFIG_INVALID` for a value of another type than Hyperion takes. */
export function translateHyperion(files: HyperionFiles, options: TranslationOptions): TranslatedConfiguration {
  const flat: Record<string, unknown> = options.embedded ? {} : namesOf(files.chainName);
  const secrets = new Map<string, string>();
  const keys = keysOf(files).map(({ key, rule, value }): TranslatedKey => {
    const outcome = rule(value, files, key);
    const { secret } = outcome;
    const given = { ...outcome.settings, ...(secret && { [secret.key]: options.secretPath(secret.file) }) };
    const used = Object.entries(given).filter(([name]) => isUsed(name, options));
    Object.assign(flat, Object.fromEntries(used));
    if (secret && used.length > 0) secrets.set(secret.file, secret.value);
    const isLeftOut = used.length === 0 && Object.keys(given).length > 0;
    return { from: key, to: used.map(([name]) => name), note: isLeftOut ? LEFT_OUT : outcome.note };
  });
  return { config: nest(flat), secrets, keys };
}

const LEFT_OUT = 'not used with the embedded store';
const unknownKey: Rule = () => ({ note: 'not a key that Hyperion documents; nothing corresponds to it' });

/** Names that keep several chains apart on the servers that they share. */
function namesOf(chainName: string): Record<string, string> {
  const name = ownName(chainName);
  return { 'store.elasticsearch.index_prefix': name, 'key_value.redis.key_prefix': name };
}

interface KnownKey {
  key: string;
  rule: Rule;
  value: unknown;
}

/** The keys in the files, each with the rule for it; a rule that covers a whole section is there once. */
function keysOf({ connections, chain, settings }: HyperionFiles): KnownKey[] {
  const { chains: _chains, ...servers } = connections;
  const found = [...keysBelow(servers, ''), ...keysBelow(chain, 'chains.X.'), ...keysBelow(settings, '')];
  return [...new Map(found.map((known) => [known.key, known])).values()];
}

function keysBelow(object: JsonObject, prefix: string): KnownKey[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const key = prefix + name;
    if (isObject(value) && hasRuleBelow(key)) return keysBelow(value, `${key}.`);
    const covering = coveringKey(key);
    const rule = covering === undefined ? unknownKey : HYPERION_KEYS[covering];
    return rule ? [{ key: covering ?? key, rule, value }] : [];
  });
}

function hasRuleBelow(key: string): boolean {
  return Object.keys(HYPERION_KEYS).some((known) => known.startsWith(`${key}.`));
}

/** The nearest key with a rule: itself, or a section that it is in. */
function coveringKey(key: string): string | undefined {
  const parts = key.split('.');
  const prefixes = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
  return prefixes.find((prefix) => Object.hasOwn(HYPERION_KEYS, prefix));
}

/** The embedded store needs no servers. */
function isUsed(key: string, { embedded }: TranslationOptions): boolean {
  if (embedded) return !/^(broker|key_value|store\.kind|store\.elasticsearch)(\.|$)/.test(key);
  return !key.startsWith('store.lmdb.');
}

function nest(flat: Record<string, unknown>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(flat)) {
    const parts = name.split('.');
    const last = parts.pop() ?? name;
    const section = parts.reduce<Record<string, unknown>>(
      (at, part) => (at[part] ??= {}) as Record<string, unknown>,
      root,
    );
    section[last] = value;
  }
  return root;
}
