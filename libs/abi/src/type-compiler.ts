import { HistoryError } from '@antelope-history/schemas';
import { BUILTIN_TYPES, type ValueDecoder, type ValueType, type ValueWriter, writeValue } from './builtin-types';
import type { ByteReader } from './byte-reader';
import type { DecodeBudget } from './decode-budget';
import {
  jsonTextBytes,
  type JsonObject,
  type JsonValue,
  type JsonWriter,
  keepsOrderInPlainObject,
  OrderedObject,
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
        return arrayType(this.compile(type.element), this.scopesTo(type.element));
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
        return structType(this.types.lineageOf(type.struct).map((struct) => this.ownFieldsOf(struct)));
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
    const { decode, write, cost } = this.compile(type);
    return { name, extension: type.endsWith('$'), decode, write, cost: jsonTextBytes(name) + MEMBER_COST + cost };
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
  /** Whether no two of these fields share a name. */
  readonly areDistinct: boolean;
  readonly count: number;
  private readonly compiled: (StructField | undefined)[] = [];

  constructor(
    private readonly fields: readonly AbiField[],
    private readonly compile: (field: AbiField) => StructField,
  ) {
    this.count = fields.length;
    const names = fields.map(({ name }) => name);
    this.keepOrder = keepsOrderInPlainObject(names);
    this.areDistinct = new Set(names).size === names.length;
  }

  at(index: number): StructField {
    return (this.compiled[index] ??= this.compile(this.fields[index]!));
  }
}

function container(decode: ValueDecoder, write?: ValueWriter): ValueType {
  return { decode, write, cost: CONTAINER_COST };
}

function arrayType(element: ValueType, scopes: 0 | 1): ValueType {
  return container(
    (reader, budget) => decodeElements(reader, budget, element, scopes, reader.varuint32()),
    (out, reader, budget) => writeElements(out, reader, budget, element, scopes),
  );
}

/** The node accepts every fixed size. Size 0 is refused here, because the values of such a type take no bytes. */
function fixedArrayDecoder(element: ValueType, scopes: 0 | 1, size: number): ValueDecoder {
  return (reader, budget) => {
    if (size === 0) throw new HistoryError('DECODE_FAILED', 'an array of fixed size 0 is not a type');
    return decodeElements(reader, budget, element, scopes, size);
  };
}

function writeElements(
  out: JsonWriter,
  reader: ByteReader,
  budget: DecodeBudget,
  element: ValueType,
  scopes: 0 | 1,
): void {
  const size = reader.varuint32();
  takeElements(reader, budget, element, size);
  const scope = budget.depth + scopes;
  out.raw('[');
  for (let index = 0; index < size; index++) {
    if (index > 0) out.raw(',');
    budget.descend(scope);
    writeValue(element, out, reader, budget);
  }
  out.raw(']');
}

/** Every element takes at least one byte, so that a size above the number of remaining bytes fails immediately. */
function takeElements(reader: ByteReader, budget: DecodeBudget, element: ValueType, size: number): void {
  if (size > reader.remaining()) {
    throw new HistoryError('DECODE_FAILED', `an array of ${size} elements, but ${reader.remaining()} bytes left`);
  }
  budget.takeElements(size);
  budget.spend(size * (element.cost + 1));
}

function decodeElements(
  reader: ByteReader,
  budget: DecodeBudget,
  element: ValueType,
  scopes: 0 | 1,
  size: number,
): JsonValue[] {
  takeElements(reader, budget, element, size);
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
function structType(lineage: readonly OwnFields[]): ValueType {
  if (!lineage.every(({ keepOrder }) => keepOrder))
    return container((reader, budget) => decodeOrdered(lineage, reader, budget));
  const [own, ...derived] = lineage;
  const decode: ValueDecoder = (reader, budget) => decodePlain(lineage, reader, budget);
  // Most structs have no base.
  if (!own?.areDistinct || derived.length > 0) return container(decode);
  return container(decode, (out, reader, budget) => writeFields(lineage[0]!, out, reader, budget));
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
    if (isAbsent(field, reader)) return undefined;
    budget.descend(scope);
    budget.spend(field.cost);
    return field.decode(reader, budget);
  } catch (error) {
    budget.path.push(field.name);
    throw error;
  }
}

function writeFields(fields: OwnFields, out: JsonWriter, reader: ByteReader, budget: DecodeBudget): void {
  const scope = budget.depth + FIELD_SCOPE;
  let present = false;
  for (let index = 0; index < fields.count; index++) {
    const field = fields.at(index);
    if (isAbsent(field, reader)) continue;
    budget.descend(scope);
    budget.spend(field.cost);
    out
      .raw(present ? ',' : '{')
      .string(field.name)
      .raw(':');
    writeValue(field, out, reader, budget);
    present = true;
  }
  if (!present) throw emptyStruct();
  out.raw('}');
}

/** Whether the data ends before an extension (`$`). Throws where it ends before another field. */
function isAbsent({ extension }: StructField, reader: ByteReader): boolean {
  if (reader.offset !== reader.end) return false;
  if (extension) return true;
  throw new HistoryError('DECODE_FAILED', `the data ends at byte ${reader.end}, before this field`);
}

function emptyStruct(): HistoryError {
  return new HistoryError('DECODE_FAILED', 'a struct without a field is not decoded');
}
