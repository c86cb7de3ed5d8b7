import { ExactInteger, type JsonValue, OrderedObject } from '@antelope-history/json';
import type { DataField } from './data-field';

/** The value of one field in the data of one action. */
export interface DataValue {
  field: DataField;
  /** See `dataText`. */
  text: string;
}

/**
 * The text by which a value is compared: that of a string, a number or a boolean as it stands in JSON, so that 5 and "5" are equal.
 * Undefined for null, lists and objects, by which actions cannot be selected.
 */
export function dataText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value instanceof ExactInteger ? value.digits : undefined;
}

/** The value of a field of a decoded object; undefined when it has none. */
export function fieldOf(data: JsonValue | undefined, name: string): JsonValue | undefined {
  if (data instanceof OrderedObject) return data.entries.get(name);
  if (typeof data !== 'object' || data === null || Array.isArray(data) || data instanceof ExactInteger)
    return undefined;
  return Object.hasOwn(data, name) ? data[name] : undefined;
}

/** The values of an action's fields in its decoded data; those that do not decode, or are no scalars, are left out. */
export function valuesOf(fields: readonly DataField[], data: JsonValue | undefined): DataValue[] {
  // A loop: on most chains, most actions are transfers, whose fields are indexed.
  const values: DataValue[] = [];
  for (const field of fields) {
    const text = dataText(fieldOf(data, field.field));
    if (text !== undefined) values.push({ field, text });
  }
  return values;
}
