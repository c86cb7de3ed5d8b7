import type { AbiDefinition, AbiField, AbiStruct } from './abi-definition';
import { BUILTIN_TYPES } from './builtin-types';
import { invalidAbi } from './invalid-abi';

/** The type of a type name in an ABI, after its typedefs. Element types are type names that are resolved separately. */
export type ResolvedType =
  | { kind: 'builtin'; name: string }
  | { kind: 'struct'; name: string; fields: ResolvedField[] }
  | { kind: 'variant'; name: string; types: string[] }
  | { kind: 'array'; element: string }
  | { kind: 'fixed-array'; element: string; size: number }
  | { kind: 'optional'; element: string }
  | { kind: 'extension'; element: string };

/** The type of a type name in an ABI, in which a struct has its own fields only. */
export type AbiType = Exclude<ResolvedType, { kind: 'struct' }> | { kind: 'struct'; struct: AbiStruct };

/** A field of a struct; the fields of its base precede its own. */
export interface ResolvedField extends AbiField {
  /** 0 for the struct's own fields, 1 for those of its base, and so on. */
  level: number;
}

/** The nesting limit of the node's decoder (abi_serializer.hpp max_recursion_depth). */
export const MAX_TYPE_DEPTH = 32;

/**
 * Creates a function that resolves the type names of an ABI one step at a time, for compilers of readers.
 *
 * The function throws `ABI_INVALID` for a name that the ABI does not define. It does not validate the ABI; `compileAbi`
 * does.
 */
export function createTypeResolver(definition: AbiDefinition): (typeName: string) => ResolvedType {
  const types = new AbiTypes(definition);
  const resolved = new Map<string, ResolvedType>();
  return (typeName) => {
    let type = resolved.get(typeName);
    if (type === undefined) {
      type = withAllFields(types, types.resolve(typeName));
      resolved.set(typeName, type);
    }
    return type;
  };
}

function withAllFields(types: AbiTypes, type: AbiType): ResolvedType {
  if (type.kind !== 'struct') return type;
  const lineage = types.lineageOf(type.struct);
  const fields = lineage.flatMap((struct, index) =>
    struct.fields.map((field) => ({ ...field, level: lineage.length - 1 - index })),
  );
  return { kind: 'struct', name: type.struct.name, fields };
}

/** The type names that an ABI defines, with the lookup rules of the node (abi_serializer.cpp). */
export class AbiTypes {
  readonly typedefs: Map<string, string>;
  readonly structs: Map<string, AbiStruct>;
  readonly variants: Map<string, { name: string; types: string[] }>;

  constructor(definition: AbiDefinition) {
    this.typedefs = new Map(definition.types.map((typedef) => [typedef.new_type_name, typedef.type]));
    this.structs = new Map(definition.structs.map((struct) => [struct.name, struct]));
    this.variants = new Map(definition.variants.map((variant) => [variant.name, variant]));
  }

  /** A builtin takes precedence over a struct of the same name, except bitset, which older ABIs do not have. */
  isBuiltin(name: string): boolean {
    if (name === 'bitset' && (this.structs.has(name) || this.variants.has(name))) return false;
    return BUILTIN_TYPES.has(name);
  }

  resolve(typeName: string): AbiType {
    if (typeName.endsWith('$')) return { kind: 'extension', element: typeName.slice(0, -1) };
    const name = this.followTypedefs(typeName);
    const suffixed = splitSuffix(name);
    if (suffixed !== undefined) return suffixed;
    if (this.isBuiltin(name)) return { kind: 'builtin', name };
    const variant = this.variants.get(name);
    if (variant !== undefined) return { kind: 'variant', name, types: variant.types };
    const struct = this.structs.get(name);
    if (struct !== undefined) return { kind: 'struct', struct };
    throw unknownType(typeName);
  }

  followTypedefs(typeName: string): string {
    let name = typeName;
    for (let hops = 0; hops < MAX_TYPE_DEPTH; hops++) {
      const next = this.typedefs.get(name);
      if (next === undefined) return name;
      name = next;
    }
    throw invalidAbi(`type ${quote(typeName)} is nested too deep or circular`);
  }

  baseOf(struct: AbiStruct): AbiStruct | undefined {
    if (struct.base === '') return undefined;
    const base = this.structs.get(this.followTypedefs(struct.base));
    if (base === undefined) throw invalidAbi(`the base of struct ${quote(struct.name)} is not a struct`);
    return base;
  }

  /** A struct and its bases, the farthest base first. Throws `ABI_INVALID` for more than `MAX_TYPE_DEPTH` structs. */
  lineageOf(struct: AbiStruct): AbiStruct[] {
    const lineage: AbiStruct[] = [];
    for (let current: AbiStruct | undefined = struct; current !== undefined; current = this.baseOf(current)) {
      if (lineage.length === MAX_TYPE_DEPTH) throw invalidAbi(`struct ${quote(struct.name)} has too many bases`);
      lineage.push(current);
    }
    return lineage.reverse();
  }
}

/** The array or optional that the last suffix of a type name denotes; undefined without a suffix. */
export function splitSuffix(name: string): Extract<ResolvedType, { element: string }> | undefined {
  if (name.endsWith('[]')) return { kind: 'array', element: name.slice(0, -2) };
  if (name.endsWith('?')) return { kind: 'optional', element: name.slice(0, -1) };
  if (!name.endsWith(']')) return undefined;
  const open = name.lastIndexOf('[');
  const size = name.slice(open + 1, -1);
  if (open < 0 || !/^[0-9]{1,10}$/.test(size)) return undefined;
  return { kind: 'fixed-array', element: name.slice(0, open), size: Number(size) };
}

export function unknownType(typeName: string): Error {
  return invalidAbi(`type ${quote(typeName)} is not defined`);
}

/** Quotes and shortens a name of any length and content for an error message. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 61)}...` : name);
}
