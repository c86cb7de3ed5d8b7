import { z } from 'zod';
import { configSchema } from './config-schema';

/** One key of the configuration, as documentation, environment and error messages need it. */
export interface ConfigKey {
  /** `api.limits.get_actions` */
  name: string;
  /** `HISTORY_API__LIMITS__GET_ACTIONS` */
  variable: string;
  type: 'boolean' | 'integer' | 'number' | 'string' | 'array';
  /** The values that it accepts, in words. */
  takes: string;
  meaning: string;
  defaultValue: unknown;
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Every key, in the order of the schema. */
export function listConfigKeys(): ConfigKey[] {
  return leavesOf(z.toJSONSchema(configSchema, { io: 'input' }), []);
}

/** `store.lmdb.path` → `HISTORY_STORE__LMDB__PATH` */
export function variableOf(name: string): string {
  return `HISTORY_${name.replaceAll('.', '__').toUpperCase()}`;
}

function leavesOf(schema: JsonSchema, path: string[]): ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    if (typeof inner === 'boolean') return [];
    if (inner.type === 'object') return leavesOf(inner, [...path, name]);
    return [toConfigKey(inner, [...path, name].join('.'))];
  });
}

function toConfigKey(schema: JsonSchema, name: string): ConfigKey {
  return {
    name,
    variable: variableOf(name),
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
