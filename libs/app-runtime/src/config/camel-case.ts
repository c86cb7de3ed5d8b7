/** The configuration file has snake_case keys, as the chain's JSON has; code has camelCase. */

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export type CamelCaseKeys<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T as Key extends string ? CamelCase<Key> : Key]: CamelCaseKeys<T[Key]> }
    : T;

/** Renames the keys of nested plain objects; lists are not changed. */
export function camelCaseKeys<T>(value: T): CamelCaseKeys<T> {
  return renameKeys(value) as CamelCaseKeys<T>;
}

function renameKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      renameKeys(inner),
    ]),
  );
}
