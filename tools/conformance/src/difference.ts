import { ExactInteger, OrderedObject, stringifyJson, type JsonObject, type JsonValue } from '@antelope-history/json';

/** Keys and indices, outermost first. */
export type Path = readonly (string | number)[];

/** A path at which two responses differ; a value is undefined when its response has no such key. */
export interface Difference {
  path: Path;
  recorded: JsonValue | undefined;
  ours: JsonValue | undefined;
}

/** Keys whose values are compared as a whole: decoded data, whose fields depend on the ABI, and sorted lists of names. */
const COMPARED_AS_WHOLE = new Set([
  'data',
  'params',
  'return_data',
  'return_value_data',
  'account_names',
  'controlled_accounts',
]);

/** All differences of two values. Objects with another order of keys differ as a whole. */
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
  if (left !== undefined && right !== undefined && !COMPARED_AS_WHOLE.has(key))
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

/** A path as text: `transactions[0].trx.id`. */
export function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
