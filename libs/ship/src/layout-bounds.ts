import { createTypeResolver, type AbiDefinition, type ResolvedType } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/*
 * Bounds of a node's ABI frame. Whoever runs a node chooses what its frame says, so what it costs to compile and to apply is
 * bounded here. The recorded frames of EOSIO 2.0 and Leap have 26 to 30 KB, 63 structs of at most 18 fields, and names of at
 * most 35 characters.
 */
/** Bytes of the text frame. */
export const MAX_ABI_FRAME_BYTES = 256 * 1024;
const MAX_NAME_LENGTH = 128;
/** Of one struct with its bases, or of one variant. */
const MAX_MEMBERS = 256;
/** Of all types that are used: every struct holds the fields of its bases, so a small ABI can name very many. */
const MAX_MEMBERS_IN_ALL = 20_000;
/** A refusal quotes the ABI; a log line stays readable. */
const MAX_REASON_LENGTH = 300;

/** Resolves types within the bounds. Throws `SHIP_UNSUPPORTED` beyond them, and for a type that the ABI does not define. */
export function createBoundedResolver(definition: AbiDefinition): (typeName: string) => ResolvedType {
  checkDefinition(definition);
  const resolve = createTypeResolver(definition);
  const seen = new Map<string, ResolvedType>();
  let membersLeft = MAX_MEMBERS_IN_ALL;
  return (typeName) => {
    const known = seen.get(typeName);
    if (known) return known;
    const resolved = orUnsupported(() => resolve(typeName));
    membersLeft -= 1 + memberCount(resolved);
    if (membersLeft < 0) throw unsupported(`its types have more than ${MAX_MEMBERS_IN_ALL} members`);
    if (memberCount(resolved) > MAX_MEMBERS) throw unsupported(`${typeName} has more than ${MAX_MEMBERS} members`);
    seen.set(typeName, resolved);
    return resolved;
  };
}

/**
 * Refuses a type whose values may take no bytes, other than an extension at the end of the data: a few of them nested in one
 * another take endless time to pass over, as 2^32 empty structs do.
 */
export function expectBytes(resolved: ResolvedType): void {
  if (resolved.kind === 'fixed-array' && resolved.size === 0) throw unsupported('it has arrays of no elements');
  if (resolved.kind === 'struct' && resolved.fields.every(({ type }) => type.endsWith('$'))) {
    throw unsupported(`the struct ${resolved.name} may take no bytes`);
  }
}

/** The refusal of a layout that we cannot read, with the reason. */
export function unsupported(why: string, cause?: unknown): HistoryError {
  const reason = why.length > MAX_REASON_LENGTH ? `${why.slice(0, MAX_REASON_LENGTH)}…` : why;
  return new HistoryError('SHIP_UNSUPPORTED', `The node's state history ABI is not one we can read: ${reason}`, {
    cause,
  });
}

/** What an ABI lacks or has wrong is the node's fault here, not a contract's. */
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
