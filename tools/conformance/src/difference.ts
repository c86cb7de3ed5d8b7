import { ExactInteger, OrderedObject, stringifyJson, type JsonObject, type JsonValue } from '@antelope-history/json';

/** Keys and indices from the outermost value inwards. */
export type Path = readonly (string | number)[];

/** A place at which two answers differ; undefined on the side that has no such key. */
export interface Difference {
  path: Path;
  recorded: JsonValue | undefined;
  ours: JsonValue | undefined;
}

/** Compared as a whole: what an ABI decoded, because one ABI's fields are not another's, and sorted lists of names. */
const WHOLES = new Set(['data', 'params', 'return_data', 'return_value_data', 'account_names', 'controlled_accounts']);

/** Every place at which the values differ. Keys in another order are a difference of their object. */
export function findDifferences(recorded: JsonValue, ours: JsonValue, path: Path = []): Difference[] {
  if (stringifyJson(recorded) === stringifyJson(ours)) return [];
  if (Array.isArray(recorded) && Array.isArray(ours) && recorded.length === ours.length) {
    return recorded.flatMap((item, index) => findDifferences(item, ours[index] as JsonValue, [...path, index]));
  }
  if (isObject(recorded) && isObject(ours) && isSameOrder(recorded, ours)) {
    return [...new Set([...Object.keys(recorded), ...Object.keys(ours)])].flatMap((key) =>
      differencesUnder(key, recorded, ours, path),
    );
  }
  return [{ path, recorded, ours }];
}

function differencesUnder(key: string, recorded: JsonObject, ours: JsonObject, path: Path): Difference[] {
  const [left, right] = [recorded[key], ours[key]];
  if (left !== undefined && right !== undefined && !WHOLES.has(key))
    return findDifferences(left, right, [...path, key]);
  if (left !== undefined && right !== undefined && stringifyJson(left) === stringifyJson(right)) return [];
  return [{ path: [...path, key], recorded: left, ours: right }];
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof ExactInteger) && !(value instanceof OrderedObject);
}

function isSameOrder(left: JsonObject, right: JsonObject): boolean {
  const common = Object.keys(left).filter((key) => key in right);
  return (
    common.join() ===
    Object.keys(right)
      .filter((key) => key in left)
      .join()
  );
}

/** The value at a path; undefined when there is none. */
export function valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, step) => {
    if (Array.isArray(inner)) return inner[Number(step)];
    return isObject(inner) ? inner[step] : undefined;
  }, value);
}

/** `transactions[0].trx.id`. */
export function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
