import { HistoryError } from '@antelope-history/schemas';
import { BUILTIN_TYPES, type ValueDecoder, type ValueType } from './builtin-types';
import type { ByteReader } from './byte-reader';
import type { DecodeBudget } from './decode-budget';
import { keepsOrderInPlainObject, OrderedObject, type JsonObject, type JsonValue } from './json-value';
import type { AbiTypes, ResolvedField } from './type-resolver';

/** From a struct's scope to that of its own fields; those of a base are one deeper per level. */
const FIELD_SCOPE = 2;
/** Quotes, colon and comma of a member. */
const MEMBER_COST = 4;
const EMPTY_STRUCT_COST = 8;

/**
 * Turns the types of an ABI into functions that read them, each once, by composing closures. Structs and variants
 * compile their parts when they are first read, which also lets them contain themselves.
 *
 * The functions fail exactly where nodeos' abi_serializer::_binary_to_variant does, scopes counted alike.
 */
export class TypeCompiler {
  private readonly compiled = new Map<string, ValueType>();

  constructor(private readonly types: AbiTypes) {}

  /** Throws ABI_INVALID for an unknown type. */
  compile(typeName: string): ValueType {
    let type = this.compiled.get(typeName);
    if (type === undefined) {
      type = this.build(typeName);
      this.compiled.set(typeName, type);
    }
    return type;
  }

  private build(typeName: string): ValueType {
    const type = this.types.resolve(typeName);
    switch (type.kind) {
      case 'builtin':
        return BUILTIN_TYPES.get(type.name)!;
      case 'array':
        return composite(arrayDecoder(this.compile(type.element), this.scopesTo(type.element)));
      case 'fixed-array':
        return composite(fixedArrayDecoder(this.compile(type.element), this.scopesTo(type.element), type.size));
      case 'optional':
        return composite(optionalDecoder(this.compile(type.element), this.scopesTo(type.element)));
      case 'variant':
        return composite(variantDecoder(type.types, (alternative) => this.compile(alternative)));
      case 'struct':
        return composite(structDecoder(() => this.compileFields(type.fields), keepsOrder(type.fields)));
      case 'extension':
        return this.compile(type.element);
    }
  }

  private compileFields(fields: ResolvedField[]): StructField[] {
    return fields.map(({ name, type, level }) => ({
      name,
      extension: type.endsWith('$'),
      scope: FIELD_SCOPE + level,
      ...this.compile(type),
    }));
  }

  /** The node reads an array or optional of a builtin, named directly, in the scope of the array itself. */
  private scopesTo(element: string): 0 | 1 {
    return this.types.isBuiltin(element) ? 0 : 1;
  }
}

interface StructField extends ValueType {
  name: string;
  extension: boolean;
  scope: number;
}

function keepsOrder(fields: ResolvedField[]): boolean {
  return keepsOrderInPlainObject(fields.map((field) => field.name));
}

function composite(decode: ValueDecoder): ValueType {
  return { decode, cost: MEMBER_COST };
}

function arrayDecoder(element: ValueType, scopes: 0 | 1): ValueDecoder {
  return (reader, budget) => decodeElements(reader, budget, element, scopes, reader.varuint32());
}

/** The node refuses no size of its own; one of 0 is refused here, as it would let values take no bytes at all. */
function fixedArrayDecoder(element: ValueType, scopes: 0 | 1, size: number): ValueDecoder {
  return (reader, budget) => {
    if (size === 0) throw new HistoryError('DECODE_FAILED', 'an array of fixed size 0 is not a type');
    return decodeElements(reader, budget, element, scopes, size);
  };
}

/** Every element takes at least a byte: a size beyond the data fails at once, whatever it claims. */
function decodeElements(
  reader: ByteReader,
  budget: DecodeBudget,
  element: ValueType,
  scopes: 0 | 1,
  size: number,
): JsonValue[] {
  if (size > reader.remaining()) {
    throw new HistoryError('DECODE_FAILED', `an array of ${size} elements, but ${reader.remaining()} bytes left`);
  }
  budget.takeElements(size);
  budget.spend(size * (element.cost + 1));
  const scope = budget.depth + scopes;
  const values: JsonValue[] = [];
  try {
    while (values.length < size) {
      budget.descend(scope);
      values.push(element.decode(reader, budget));
    }
  } catch (error) {
    budget.path.push(values.length);
    throw error;
  }
  return values;
}

/** fc::raw reads the flag of an optional builtin as a bool, which is 0 or 1; other optionals take any byte. */
function optionalDecoder(element: ValueType, scopes: 0 | 1): ValueDecoder {
  return (reader, budget) => {
    const flag = reader.uint8();
    if (flag === 0) return null;
    if (scopes === 0 && flag !== 1) {
      throw new HistoryError('DECODE_FAILED', `${flag} is not the presence flag of an optional`);
    }
    budget.descend(budget.depth + scopes);
    budget.spend(element.cost);
    return element.decode(reader, budget);
  };
}

/** `["type",value]` */
function variantDecoder(types: string[], compile: (typeName: string) => ValueType): ValueDecoder {
  return (reader, budget) => {
    const tag = reader.varuint32();
    const type = types[tag];
    if (type === undefined) {
      throw new HistoryError('DECODE_FAILED', `there is no type ${tag} in a variant of ${types.length}`);
    }
    const alternative = compile(type);
    budget.descend(budget.depth + 1);
    budget.spend(type.length + MEMBER_COST + alternative.cost);
    try {
      return [type, alternative.decode(reader, budget)];
    } catch (error) {
      budget.path.push(`<${type}>`);
      throw error;
    }
  };
}

/**
 * Of fields that share a name the last value stands at the first one's place, as in the node
 * (fc::mutable_variant_object::set). A struct in which no field is present fails there, and so here.
 */
function structDecoder(compileFields: () => StructField[], keepsOrderInPlain: boolean): ValueDecoder {
  let fields: StructField[] | undefined;
  let cost = 0;
  return (reader, budget) => {
    if (fields === undefined) {
      fields = compileFields();
      cost = fields.reduce((sum, field) => sum + field.name.length + MEMBER_COST + field.cost, EMPTY_STRUCT_COST);
    }
    budget.spend(cost);
    return keepsOrderInPlain ? decodePlain(fields, reader, budget) : decodeOrdered(fields, reader, budget);
  };
}

function decodePlain(fields: StructField[], reader: ByteReader, budget: DecodeBudget): JsonObject {
  const value: JsonObject = {};
  const present = decodeFields(fields, reader, budget, (name, member) => {
    value[name] = member;
  });
  if (!present) throw emptyStruct();
  return value;
}

function decodeOrdered(fields: StructField[], reader: ByteReader, budget: DecodeBudget): OrderedObject {
  const entries = new Map<string, JsonValue>();
  const present = decodeFields(fields, reader, budget, (name, member) => entries.set(name, member));
  if (!present) throw emptyStruct();
  return new OrderedObject(entries);
}

/** Fields in turn; those marked as extension (`$`) may be missing at the end. Whether any was present. */
function decodeFields(
  fields: StructField[],
  reader: ByteReader,
  budget: DecodeBudget,
  set: (name: string, value: JsonValue) => void,
): boolean {
  const depth = budget.depth;
  let present = false;
  for (const field of fields) {
    try {
      if (reader.offset === reader.end) {
        if (field.extension) continue;
        throw new HistoryError('DECODE_FAILED', `the data ends at byte ${reader.end}, before this field`);
      }
      budget.descend(depth + field.scope);
      set(field.name, field.decode(reader, budget));
      present = true;
    } catch (error) {
      budget.path.push(field.name);
      throw error;
    }
  }
  return present;
}

function emptyStruct(): HistoryError {
  return new HistoryError('DECODE_FAILED', 'a struct without a field is not decoded');
}
