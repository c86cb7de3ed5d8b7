import type { AbiDefinition, ByteReader, ResolvedType } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { createBoundedResolver, expectBytes, unsupported } from './layout-bounds';
import { skipSignature, WEB_AUTHN } from './signature';

/** Reads one value at the reader's offset and stores its relevant parts in `target`. */
export type Read<T> = (reader: ByteReader, target: T) => void;

/** How one field is read: its expected type, or several types that `read` handles in the same way, and the reader. */
export interface FieldReader<T> {
  type: string | readonly string[];
  read: Read<T>;
}

type Skip = (reader: ByteReader) => void;

/** The nesting limit of the node itself (abi_serializer.hpp max_recursion_depth); deeper data is an attack. */
const MAX_DEPTH = 32;

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
 * Compiles the layouts of a node's own ABI frame into readers. The frame defines the order, presence and nesting of fields;
 * the callers define the fields that they read, and all other fields are skipped. No layout is hard-coded, because the same
 * variant index has different layouts in different versions (`action_trace_v1` of EOSIO 2.1 and of Leap).
 */
export class LayoutCompiler {
  private readonly resolve: (typeName: string) => ResolvedType;
  private readonly skips = new Map<string, Skip>();
  private skipDepth = 0;

  /** Throws `SHIP_UNSUPPORTED` for an ABI beyond the limits of `layout-bounds.ts`; later calls throw it for such types. */
  constructor(definition: AbiDefinition) {
    this.resolve = createBoundedResolver(definition);
  }

  /** The types of a struct's fields by field name; undefined when the node has no such struct. */
  fieldsOf(structName: string): Map<string, string> | undefined {
    const resolved = this.tryResolve(structName);
    if (resolved?.kind !== 'struct') return undefined;
    const fields = new Map(resolved.fields.map((field) => [field.name, this.typeName(field.type)]));
    if (fields.size !== resolved.fields.length) throw unsupported(`${structName} has two fields of one name`);
    return fields;
  }

  /** The alternatives of a variant in the node's order; undefined when the node has no such variant. */
  variantTypes(variantName: string): string[] | undefined {
    const resolved = this.tryResolve(variantName);
    return resolved?.kind === 'variant' ? resolved.types.map((type) => this.typeName(type)) : undefined;
  }

  /**
   * Compiles a reader of a struct that reads the `known` fields and skips all others. Throws `SHIP_UNSUPPORTED` when the
   * node has a known field with another type, or lacks a known field that `optional` does not list.
   */
  struct<T>(structName: string, known: Record<string, FieldReader<T>>, optional: readonly string[] = []): Read<T> {
    const fields = this.fieldsOf(structName);
    if (!fields) throw unsupported(`it has no struct ${structName}`);
    for (const [name, field] of Object.entries(known)) {
      const type = fields.get(name);
      if (type === undefined && optional.includes(name)) continue;
      const expected = typeof field.type === 'string' ? [field.type] : field.type;
      if (type === undefined || !expected.includes(type)) {
        throw unsupported(`field ${name} of ${structName} is ${type ?? 'missing'}, not ${expected.join(' or ')}`);
      }
    }
    const steps: Read<T>[] = [];
    for (const [name, type] of fields) steps.push(known[name]?.read ?? this.skip(type));
    return (reader, target) => {
      for (const step of steps) step(reader, target);
    };
  }

  /**
   * Compiles a reader of a variant; `compile` returns the reader of one alternative. If an alternative does not compile,
   * the reader throws `SHIP_UNSUPPORTED` when the node sends it. If no alternative compiles, this method throws it.
   */
  variant<T>(variantName: string, compile: (type: string) => Read<T>): Read<T> {
    const types = this.variantTypes(variantName);
    if (!types) throw unsupported(`it has no variant ${variantName}`);
    const compiled = types.map((type) => compileOrError(compile, type));
    const failure = compiled[0];
    if (failure instanceof Error && compiled.every((each) => each instanceof Error)) throw failure;
    return (reader, target) => {
      const tag = reader.varuint32();
      const read = compiled[tag];
      if (!read) throw new HistoryError('DECODE_FAILED', `${variantName} has no alternative ${tag}`);
      if (read instanceof Error) throw read;
      read(reader, target);
    };
  }

  /** Throws `SHIP_UNSUPPORTED` unless a struct has exactly these fields ("name: type"), because its bytes are copied. */
  expectExact(structName: string, fields: readonly string[]): void {
    const actual = [...(this.fieldsOf(structName) ?? [])].map(([name, type]) => `${name}: ${type}`);
    if (actual.join() !== fields.join()) throw unsupported(`${structName} has the fields {${actual.join(', ')}}`);
  }

  /** Returns a function that skips a value of the type. */
  skip(typeName: string): Skip {
    const known = this.skips.get(typeName);
    if (known) return known;
    const resolved = this.resolve(typeName);
    const skip = resolved.kind === 'builtin' ? skipBuiltin(resolved.name) : this.skipNested(typeName);
    this.skips.set(typeName, skip);
    return skip;
  }

  /** Types can contain themselves (transaction_trace), so the skip function is compiled at its first use. */
  private skipNested(typeName: string): Skip {
    let compiled: Skip | undefined;
    return (reader) => {
      compiled ??= this.compileSkip(typeName);
      if (this.skipDepth >= MAX_DEPTH) {
        throw new HistoryError('DECODE_FAILED', `${typeName} is nested deeper than ${MAX_DEPTH}`);
      }
      this.skipDepth++;
      try {
        compiled(reader);
      } finally {
        this.skipDepth--;
      }
    };
  }

  private compileSkip(typeName: string): Skip {
    const resolved = this.resolve(typeName);
    switch (resolved.kind) {
      case 'builtin':
        return skipBuiltin(resolved.name);
      case 'struct': {
        expectBytes(resolved);
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
          skipElements(reader, element, count);
        };
      }
      case 'fixed-array': {
        expectBytes(resolved);
        const element = this.skip(resolved.element);
        return (reader) => skipElements(reader, element, resolved.size);
      }
      case 'optional': {
        const element = this.skip(resolved.element);
        return (reader) => {
          if (readFlag(reader)) element(reader);
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

  /** The name of a type after its typedefs, because node versions use different names for some types. */
  private typeName(typeName: string, depth = 0): string {
    if (depth > MAX_DEPTH) throw unsupported(`the type ${typeName} is nested deeper than ${MAX_DEPTH}`);
    const resolved = this.tryResolve(typeName);
    switch (resolved?.kind) {
      case 'array':
        return `${this.typeName(resolved.element, depth + 1)}[]`;
      case 'fixed-array':
        return `${this.typeName(resolved.element, depth + 1)}[${resolved.size}]`;
      case 'optional':
        return `${this.typeName(resolved.element, depth + 1)}?`;
      case 'extension':
        return `${this.typeName(resolved.element, depth + 1)}$`;
      default:
        return resolved?.name ?? typeName;
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

function compileOrError<T>(compile: (type: string) => Read<T>, type: string): Read<T> | Error {
  try {
    return compile(type);
  } catch (error) {
    return error as Error;
  }
}

/** Skips `count` elements. Stops at an element that takes no bytes, because the elements after it take none either. */
function skipElements(reader: ByteReader, element: Skip, count: number): void {
  for (let index = 0; index < count; index++) {
    const before = reader.offset;
    element(reader);
    if (reader.offset === before) return;
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

/** Reads a packed bool or the presence flag of an optional. Accepts only 0 and 1, like the node (fc/io/raw.hpp). */
export function readFlag(reader: ByteReader): boolean {
  const flag = reader.uint8();
  if (flag > 1) throw new HistoryError('DECODE_FAILED', `the flag ${flag} is neither 0 nor 1`);
  return flag === 1;
}

function skipPublicKey(reader: ByteReader): void {
  const tag = reader.varuint32();
  if (tag > WEB_AUTHN) throw new HistoryError('DECODE_FAILED', `a public key of type ${tag}`);
  reader.skip(33);
  if (tag === WEB_AUTHN) {
    reader.skip(1);
    reader.lengthPrefixed();
  }
}
