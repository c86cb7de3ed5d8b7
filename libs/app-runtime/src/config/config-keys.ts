import { z } from 'zod';
import { configSchema } from './config-schema';

/** One key of the configuration, as documentation, environment and error messages need it. */
export interface ConfigKey {
  /** `api.limits.get_actions` */
  name: string;
  /** `HISTORY_API__LIMITS__GET_ACTIONS`; undefined for keys below a name that the operator chooses. */
  variable: string | undefined;
  type: 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';
  /** The values that it accepts, in words. */
  takes: string;
  meaning: string;
  defaultValue: unknown;
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Stands for a name that the operator chooses: `gateway.chains.NAME.hosts`. */
export const ANY_NAME = 'NAME';

let listed: readonly ConfigKey[] | undefined;

/** Every key, in the order of the schema. Listed once: this takes longer than to read a configuration with them. */
export function listConfigKeys(): readonly ConfigKey[] {
  return (listed ??= leavesOf(z.toJSONSchema(configSchema, { io: 'input' }), []));
}

/** The key that a path of names leads to: `gateway.chains.wax.hosts` leads to `gateway.chains.NAME.hosts`. */
export function findConfigKey(keys: readonly ConfigKey[], path: string): ConfigKey | undefined {
  const names = path.split('.');
  return keys.find((key) => {
    const parts = key.name.split('.');
    return parts.length === names.length && parts.every((part, at) => part === ANY_NAME || part === names[at]);
  });
}

/** `store.lmdb.path` → `HISTORY_STORE__LMDB__PATH` */
export function variableOf(name: string): string {
  return `HISTORY_${name.replaceAll('.', '__').toUpperCase()}`;
}

function leavesOf(schema: JsonSchema, path: string[]): ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    if (typeof inner === 'boolean') return [];
    if (typeof inner.additionalProperties === 'object')
      return namedOf(inner, inner.additionalProperties, [...path, name]);
    if (inner.type === 'object') return leavesOf(inner, [...path, name]);
    const key = [...path, name].join('.');
    return [toConfigKey(inner, key, variableOf(key))];
  });
}

/** The keys of objects by names: one for the object of a name, and those below it. They have no variables. */
function namedOf(objects: JsonSchema, each: JsonSchema, path: string[]): ConfigKey[] {
  const name = [...path, ANY_NAME];
  const keys = [toConfigKey(objects, name.join('.'), undefined), ...leavesOf(each, name)];
  return keys.map((key) => ({ ...key, variable: undefined }));
}

function toConfigKey(schema: JsonSchema, name: string, variable: string | undefined): ConfigKey {
  return {
    name,
    variable,
    type: schema.type as ConfigKey['type'],
    takes: takesOf(schema),
    meaning: schema.description ?? '',
    defaultValue: schema.default,
  };
}

function takesOf(schema: JsonSchema): string {
  if (typeof schema['takes'] === 'string') return schema['takes'];
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `an integer from ${schema.minimum} to ${schema.maximum}`;
    case 'number':
      return `a number from ${schema.minimum} to ${schema.maximum}`;
    case 'array':
      return `a list, each ${takesOf(schema.items as JsonSchema)}`;
    default:
      return 'a text';
  }
}
