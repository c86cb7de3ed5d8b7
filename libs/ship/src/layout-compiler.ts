import { ByteReader, createTypeResolver, type AbiDefinition, type ResolvedType } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/** Reads one value at the reader's place and puts what matters of it into `target`. */
export type Read<T> = (reader: ByteReader, target: T) => void;

/** How one field is read: the type that our code expects of it, and the reading. */
export interface FieldReader<T> {
  type: string;
  read: Read<T>;
}

type Skip = (reader: ByteReader) => void;

/** Nodes nest failed deferred transactions one level deep; anything much deeper is an attack. */
const MAX_SKIP_DEPTH = 32;

const FIXED_SIZES: Record<string, number> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  int128: 16,
  uint128: 16,
  float32: 4,
  float64: 8,
  float128: 16,
  name: 8,
  time_point: 8,
  time_point_sec: 4,
  block_timestamp_type: 4,
  checksum160: 20,
  checksum256: 32,
  checksum512: 64,
  symbol: 8,
  symbol_code: 8,
  asset: 16,
  extended_asset: 24,
};

/**
 * Turns the layouts of a node's own ABI frame into readers: the order, the presence and the nesting of fields come
 * from the node, the meaning of the fields we know from us, and every other field is skipped. Equal variant indexes
 * mean different layouts in different versions (`action_trace_v1` of EOSIO 2.1 and of Leap), so nothing is assumed.
 */
export class LayoutCompiler {
  private readonly resolve: (typeName: string) => ResolvedType;
  private readonly skips = new Map<string, Skip>();

  constructor(definition: AbiDefinition) {
    this.resolve = createTypeResolver(definition);
  }

  /** The fields of a struct, by name, with their types; undefined when the node has no such struct. */
  fieldsOf(structName: string): Map<string, string> | undefined {
    const resolved = this.tryResolve(structName);
    if (resolved?.kind !== 'struct') return undefined;
    return new Map(resolved.fields.map((field) => [field.name, field.type]));
  }

  /** The alternatives of a variant in the node's order; undefined when the node has no such variant. */
  variantTypes(variantName: string): string[] | undefined {
    const resolved = this.tryResolve(variantName);
    return resolved?.kind === 'variant' ? resolved.types : undefined;
  }

  /**
   * A reader of a struct. `known` fields are read; a field may be listed as optional (`optional`), else the node must
   * have it with the expected type. Throws `SHIP_UNSUPPORTED` when it has not.
   */
  struct<T>(structName: string, known: Record<string, FieldReader<T>>, optional: readonly string[] = []): Read<T> {
    const fields = this.fieldsOf(structName);
    if (!fields) throw unsupported(`it has no struct ${structName}`);
    for (const [name, field] of Object.entries(known)) {
      const type = fields.get(name);
      if (type === undefined && optional.includes(name)) continue;
      if (type !== field.type) {
        throw unsupported(`field ${name} of ${structName} is ${type ?? 'missing'}, not ${field.type}`);
      }
    }
    const steps: Read<T>[] = [];
    for (const [name, type] of fields) steps.push(known[name]?.read ?? this.skip(type));
    return (reader, target) => {
      for (const step of steps) step(reader, target);
    };
  }

  /** A reader of a variant whose alternatives are all given; one that the node has and we have not stops the read. */
  variant<T>(variantName: string, cases: Record<string, Read<T>>): Read<T> {
    const types = this.variantTypes(variantName);
    if (!types) throw unsupported(`it has no variant ${variantName}`);
    const readers = types.map((type) => cases[type]);
    return (reader, target) => {
      const tag = reader.varuint32();
      const read = readers[tag];
      if (!read) throw new HistoryError('SHIP_UNSUPPORTED', `${variantName} has the alternative ${types[tag] ?? tag}`);
      read(reader, target);
    };
  }

  /** Throws `SHIP_UNSUPPORTED` unless a struct has exactly these fields ("name: type"): its bytes are copied as they are. */
  expectExact(structName: string, fields: readonly string[]): void {
    const actual = [...(this.fieldsOf(structName) ?? [])].map(([name, type]) => `${name}: ${type}`);
    if (actual.join() !== fields.join()) throw unsupported(`${structName} is {${actual.join(', ')}}`);
  }

  /** A reader that passes over a value of any type. */
  skip(typeName: string): Skip {
    const known = this.skips.get(typeName);
    if (known) return known;
    let compiled: Skip | undefined;
    let depth = 0;
    // Types may contain themselves (transaction_trace), so the real skip is compiled at its first use.
    const lazy: Skip = (reader) => {
      compiled ??= this.compileSkip(typeName);
      if (++depth > MAX_SKIP_DEPTH) {
        depth = 0;
        throw new HistoryError('DECODE_FAILED', `${typeName} is nested deeper than ${MAX_SKIP_DEPTH}`);
      }
      compiled(reader);
      depth--;
    };
    this.skips.set(typeName, lazy);
    return lazy;
  }

  private compileSkip(typeName: string): Skip {
    const resolved = this.resolve(typeName);
    switch (resolved.kind) {
      case 'builtin':
        return skipBuiltin(resolved.name);
      case 'struct': {
        const steps = resolved.fields.map((field) => this.skip(field.type));
        return (reader) => {
          for (const step of steps) step(reader);
        };
      }
      case 'variant': {
        const steps = resolved.types.map((type) => this.skip(type));
        return (reader) => {
          const tag = reader.varuint32();
          const step = steps[tag];
          if (!step) throw new HistoryError('DECODE_FAILED', `${typeName} has no alternative ${tag}`);
          step(reader);
        };
      }
      case 'array': {
        const element = this.skip(resolved.element);
        return (reader) => {
          const count = reader.varuint32();
          if (count > reader.remaining()) {
            throw new HistoryError('DECODE_FAILED', `${typeName} of ${count} elements in ${reader.remaining()} bytes`);
          }
          for (let index = 0; index < count; index++) element(reader);
        };
      }
      case 'fixed-array': {
        const element = this.skip(resolved.element);
        return (reader) => {
          for (let index = 0; index < resolved.size; index++) element(reader);
        };
      }
      case 'optional': {
        const element = this.skip(resolved.element);
        return (reader) => {
          if (reader.uint8() !== 0) element(reader);
        };
      }
      case 'extension': {
        const element = this.skip(resolved.element);
        return (reader) => {
          if (reader.remaining() > 0) element(reader);
        };
      }
    }
  }

  private tryResolve(typeName: string): ResolvedType | undefined {
    try {
      return this.resolve(typeName);
    } catch {
      return undefined;
    }
  }
}

function skipBuiltin(name: string): Skip {
  const size = FIXED_SIZES[name];
  if (size !== undefined) return (reader) => reader.skip(size);
  switch (name) {
    case 'varuint32':
    case 'varint32':
      return (reader) => void reader.varuint32();
    case 'bytes':
    case 'string':
      return (reader) => void reader.lengthPrefixed();
    case 'public_key':
      return skipPublicKey;
    case 'signature':
      return skipSignature;
    default:
      throw unsupported(`it uses the type ${name}`);
  }
}

function skipPublicKey(reader: ByteReader): void {
  const tag = reader.uint8();
  reader.skip(33);
  if (tag === 2) {
    reader.skip(1);
    reader.lengthPrefixed();
  }
}

function skipSignature(reader: ByteReader): void {
  const tag = reader.uint8();
  reader.skip(65);
  if (tag === 2) {
    reader.lengthPrefixed();
    reader.lengthPrefixed();
  }
}

function unsupported(why: string): HistoryError {
  return new HistoryError('SHIP_UNSUPPORTED', `The node's state history ABI is not one we can read: ${why}`);
}
