import { HistoryError } from '@antelope-history/schemas';
import { BUILTIN_TYPES, type ValueDecoder, type ValueType } from './builtin-types';
import type { ByteReader } from './byte-reader';
import type { DecodeBudget } from './decode-budget';
import {
  jsonTextBytes,
  keepsOrderInPlainObject,
  OrderedObject,
  type JsonObject,
  type JsonValue,
} from '@antelope-history/json';
import type { AbiField, AbiStruct } from './abi-definition';
import type { AbiTypes } from './type-resolver';

/** Scopes between a struct and its own fields; the fields of a base are one scope deeper per level. */
const FIELD_SCOPE = 2;
/** Colon and comma of an object member. */
const MEMBER_COST = 2;
/** Exceeds the length of the brackets, because creating an object or array takes longer than printing them. */
const CONTAINER_COST = 20;
const OPTIONAL_COST = 6;
const ORDERED_OBJECT_COST = 160;
const ORDERED_MEMBER_COST = 40;

/**
 * Compiles the types of an ABI into functions that read them, each type once, by composing closures. A field is compiled
 * when data first reaches it, so that types can contain themselves. Structs with the same base share its compiled fields.
 *
 * The functions fail exactly where nodeos' abi_serializer::_binary_to_variant fails, and count scopes in the same way.
 */
export class TypeCompiler {
  private readonly compiled = new Map<string, ValueType>();
  private readonly ownFields = new Map<AbiStruct, OwnFields>();

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
        return container(arrayDecoder(this.compile(type.element), this.scopesTo(type.element)));
      case 'fixed-array':
        return container(fixedArrayDecoder(this.compile(type.element), this.scopesTo(type.element), type.size));
      case 'optional':
        return {
          decode: optionalDecoder(this.compile(type.element), this.scopesTo(type.element)),
          cost: OPTIONAL_COST,
        };
      case 'variant':
        return container(variantDecoder(type.types, (alternative) => this.compile(alternative)));
      case 'struct':
        return container(structDecoder(this.types.lineageOf(type.struct).map((struct) => this.ownFieldsOf(struct))));
      case 'extension':
        return this.compile(type.element);
    }
  }

  private ownFieldsOf(struct: AbiStruct): OwnFields {
    let fields = this.ownFields.get(struct);
    if (fields === undefined) {
      fields = new OwnFields(struct.fields, (field) => this.compileField(field));
      this.ownFields.set(struct, fields);
    }
    return fields;
  }

  private compileField({ name, type }: AbiField): StructField {
    const { decode, cost } = this.compile(type);
    return { name, extension: type.endsWith('$'), decode, cost: jsonTextBytes(name) + MEMBER_COST + cost };
  }

  /**
   * Scopes between an array or optional and its element. If the element type is the name of a builtin, and not a typedef
   * of one, the node reads the element in the scope of the array itself.
   */
  private scopesTo(element: string): 0 | 1 {
    return this.types.isBuiltin(element) ? 0 : 1;
  }
}

interface StructField extends ValueType {
  name: string;
  extension: boolean;
}

/** The fields that a struct adds to those of its base. */
class OwnFields {
  /** Whether a plain object keeps these fields in order. */
  readonly keepOrder: boolean;
  readonly count: number;
  private readonly compiled: (StructField | undefined)[] = [];

  constructor(
    private readonly fields: readonly AbiField[],
    private readonly compile: (field: AbiField) => StructField,
  ) {
    this.count = fields.length;
    this.keepOrder = keepsOrderInPlainObject(fields.map(({ name }) => name));
  }

  at(index: number): StructField {
    return (this.compiled[index] ??= this.compile(this.fields[index]!));
  }
}

function container(decode: ValueDecoder): ValueType {
  return { decode, cost: CONTAINER_COST };
}

function arrayDecoder(element: ValueType, scopes: 0 | 1): ValueDecoder {
  return (reader, budget) => decodeElements(reader, budget, element, scopes, reader.varuint32());
}

/** The node accepts every fixed size. Size 0 is refused here, because the values of such a type take no bytes. */
function fixedArrayDecoder(element: ValueType, scopes: 0 | 1, size: number): ValueDecoder {
  return (reader, budget) => {
    if (size === 0) throw new HistoryError('DECODE_FAILED', 'an array of fixed size 0 is not a type');
    return decodeElements(reader, budget, element, scopes, size);
  };
}

/** Every element takes at least one byte, so that a size above the number of remaining bytes fails immediately. */
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

/** fc::raw reads the presence flag of an optional builtin as a bool, 0 or 1; other optionals accept any byte as the flag. */
function optionalDecoder(element: ValueType, scopes: 0 | 1): ValueDecoder {
  return (reader, budget) => {
    const flag = reader.uint8();
    if (flag === 0) return null;
    if (scopes === 0 && flag !== 1) {
      throw new HistoryError('DECODE_FAILED', `${flag} is not a valid presence flag of an optional`);
    }
    budget.descend(budget.depth + scopes);
    budget.spend(element.cost);
    return element.decode(reader, budget);
  };
}

/** Decodes a variant to `["type",value]`. */
function variantDecoder(types: string[], compile: (typeName: string) => ValueType): ValueDecoder {
  const nameCosts: (number | undefined)[] = [];
  return (reader, budget) => {
    const tag = reader.varuint32();
    const type = types[tag];
    if (type === undefined) {
      throw new HistoryError('DECODE_FAILED', `there is no type ${tag} in a variant of ${types.length}`);
    }
    const alternative = compile(type);
    budget.descend(budget.depth + 1);
    const nameCost = (nameCosts[tag] ??= jsonTextBytes(type));
    budget.spend(nameCost + MEMBER_COST + alternative.cost);
    try {
      return [type, alternative.decode(reader, budget)];
    } catch (error) {
      budget.path.push(`<${type}>`);
      throw error;
    }
  };
}

/**
 * `lineage` has the own fields of each struct, the farthest base first. If fields share a name, the last value takes the
 * position of the first one, as in the node (fc::mutable_variant_object::set). A struct without any present field fails,
 * as it does in the node.
 */
function structDecoder(lineage: readonly OwnFields[]): ValueDecoder {
  if (lineage.every(({ keepOrder }) => keepOrder)) return (reader, budget) => decodePlain(lineage, reader, budget);
  return (reader, budget) => decodeOrdered(lineage, reader, budget);
}

function decodePlain(lineage: readonly OwnFields[], reader: ByteReader, budget: DecodeBudget): JsonObject {
  const value: JsonObject = {};
  const depth = budget.depth;
  let present = false;
  for (let index = 0; index < lineage.length; index++) {
    const fields = lineage[index]!;
    const scope = depth + FIELD_SCOPE + lineage.length - 1 - index;
    for (let own = 0; own < fields.count; own++) {
      const field = fields.at(own);
      const member = decodeField(field, scope, reader, budget);
      if (member === undefined) continue;
      value[field.name] = member;
      present = true;
    }
  }
  if (!present) throw emptyStruct();
  return value;
}

function decodeOrdered(lineage: readonly OwnFields[], reader: ByteReader, budget: DecodeBudget): OrderedObject {
  const entries = new Map<string, JsonValue>();
  const depth = budget.depth;
  budget.spend(ORDERED_OBJECT_COST);
  for (let index = 0; index < lineage.length; index++) {
    const fields = lineage[index]!;
    const scope = depth + FIELD_SCOPE + lineage.length - 1 - index;
    for (let own = 0; own < fields.count; own++) {
      const field = fields.at(own);
      const member = decodeField(field, scope, reader, budget);
      if (member === undefined) continue;
      budget.spend(ORDERED_MEMBER_COST);
      entries.set(field.name, member);
    }
  }
  if (entries.size === 0) throw emptyStruct();
  return new OrderedObject(entries);
}

/** Returns the field's value, or undefined if the data ends before an extension (`$`). */
function decodeField(
  field: StructField,
  scope: number,
  reader: ByteReader,
  budget: DecodeBudget,
): JsonValue | undefined {
  try {
    if (reader.offset === reader.end) {
      if (field.extension) return undefined;
      throw new HistoryError('DECODE_FAILED', `the data ends at byte ${reader.end}, before this field`);
    }
    budget.descend(scope);
    budget.spend(field.cost);
    return field.decode(reader, budget);
  } catch (error) {
    budget.path.push(field.name);
    throw error;
  }
}

function emptyStruct(): HistoryError {
  return new HistoryError('DECODE_FAILED', 'a struct without a field is not decoded');
}
