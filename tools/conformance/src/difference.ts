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
export function findDifferences(recorded: JsonValue, ours: JsonValue): Difference[] {
  const found: Difference[] = [];
  addDifferences(recorded, ours, [], found);
  return found;
}

/** `path` is that of both values; it is changed during the call, so that equal values cost no copy of it. */
function addDifferences(recorded: JsonValue, ours: JsonValue, path: (string | number)[], found: Difference[]): void {
  if (recorded === ours) return;
  if (Array.isArray(recorded) && Array.isArray(ours) && recorded.length === ours.length) {
    recorded.forEach((item, index) => {
      path.push(index);
      addDifferences(item, ours[index] as JsonValue, path, found);
      path.pop();
    });
  } else if (isObject(recorded) && isObject(ours) && isSameOrder(recorded, ours)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(ours)])) {
      path.push(key);
      addDifferencesOfMember(key, recorded[key], ours[key], path, found);
      path.pop();
    }
  } else if (stringifyJson(recorded) !== stringifyJson(ours)) {
    found.push({ path: [...path], recorded, ours });
  }
}

function addDifferencesOfMember(
  key: string,
  recorded: JsonValue | undefined,
  ours: JsonValue | undefined,
  path: (string | number)[],
  found: Difference[],
): void {
  if (recorded === undefined || ours === undefined) found.push({ path: [...path], recorded, ours });
  else if (!COMPARED_AS_WHOLE.has(key)) addDifferences(recorded, ours, path, found);
  else if (stringifyJson(recorded) !== stringifyJson(ours)) found.push({ path: [...path], recorded, ours });
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
