import { createTypeResolver, type AbiDefinition, type ResolvedType } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/*
 * Limits on a node's ABI frame. The operator of a node controls the contents of its frame, so the cost of compiling and
 * applying it is limited here. The recorded frames of EOSIO 2.0 and Leap have 26 to 30 KB, 63 structs of at most 18 fields,
 * and names of at most 35 characters.
 */

/** Size of the text frame in bytes. */
export const MAX_ABI_FRAME_BYTES = 256 * 1024;
const MAX_NAME_LENGTH = 128;
/** Members of one struct with its bases, or of one variant. */
const MAX_MEMBERS = 256;
/** Members of all used types. Each struct includes the fields of its bases, so a small ABI can have a great many members. */
const MAX_TOTAL_MEMBERS = 20_000;
/** Length of the reason in an error message, which quotes the ABI; keeps log lines readable. */
const MAX_REASON_LENGTH = 300;

/**
 * Creates a resolver of the types of an ABI. Both throw `SHIP_UNSUPPORTED` beyond the limits above; the resolver also throws
 * it for a type that the ABI does not define.
 */
export function createBoundedResolver(definition: AbiDefinition): (typeName: string) => ResolvedType {
  checkDefinition(definition);
  const resolve = createTypeResolver(definition);
  const seen = new Map<string, ResolvedType>();
  let membersLeft = MAX_TOTAL_MEMBERS;
  return (typeName) => {
    const known = seen.get(typeName);
    if (known) return known;
    const resolved = orUnsupported(() => resolve(typeName));
    membersLeft -= 1 + memberCount(resolved);
    if (membersLeft < 0) throw unsupported(`its types have more than ${MAX_TOTAL_MEMBERS} members`);
    if (memberCount(resolved) > MAX_MEMBERS) throw unsupported(`${typeName} has more than ${MAX_MEMBERS} members`);
    seen.set(typeName, resolved);
    return resolved;
  };
}

/**
 * Refuses a type whose values may take no bytes, other than an extension at the end of the data. Without this check, a
 * short message could claim 2^32 empty structs, or nested arrays of them, which take practically unlimited time to skip.
 */
export function expectBytes(resolved: ResolvedType): void {
  if (resolved.kind === 'fixed-array' && resolved.size === 0) throw unsupported('it has arrays of fixed size 0');
  if (resolved.kind === 'struct' && resolved.fields.every(({ type }) => type.endsWith('$'))) {
    throw unsupported(`the struct ${resolved.name} may take no bytes`);
  }
}

/** Creates the error for a layout that is not supported, with the reason. */
export function unsupported(why: string, cause?: unknown): HistoryError {
  const reason = why.length > MAX_REASON_LENGTH ? `${why.slice(0, MAX_REASON_LENGTH)}…` : why;
  return new HistoryError('SHIP_UNSUPPORTED', `The node's state history ABI is not supported: ${reason}`, {
    cause,
  });
}

/** Converts any error of `read` to `SHIP_UNSUPPORTED`: an invalid SHiP ABI is a fault of the node, not of a contract. */
export function orUnsupported<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof HistoryError && error.code === 'SHIP_UNSUPPORTED') throw error;
    throw unsupported(error instanceof Error ? error.message : String(error), error);
  }
}

function memberCount(resolved: ResolvedType): number {
  if (resolved.kind === 'struct') return resolved.fields.length;
  return resolved.kind === 'variant' ? resolved.types.length : 0;
}

function checkDefinition({ types, structs, variants }: AbiDefinition): void {
  for (const { new_type_name: name, type } of types) checkNames([name, type]);
  for (const { name, base, fields } of structs) {
    if (fields.length > MAX_MEMBERS) throw unsupported(`${name} has more than ${MAX_MEMBERS} members`);
    checkNames([name, base]);
    for (const field of fields) checkNames([field.name, field.type]);
  }
  for (const variant of variants) checkNames([variant.name, ...variant.types]);
}

function checkNames(names: string[]): void {
  for (const name of names) {
    if (name.length > MAX_NAME_LENGTH) throw unsupported(`it has a name of ${name.length} characters`);
  }
}
