import { type PackedValue, sampleBuiltin } from './builtin-samples';
import type { GeneratedAbi, GeneratedStruct } from './generated-abi';
import { packVaruint } from './packed-bytes';
import type { Random } from './random';

/** Beyond this depth, or this many values, optionals are absent, arrays empty, and variants their first alternative. */
const MAX_DEPTH = 5;
const MAX_VALUES = 200;
/** Values of recursive types are cut off at these limits. */
const DEPTH_LIMIT = 40;
const VALUES_LIMIT = 2_000;

export interface GeneratedData {
  bytes: Buffer;
  /** The JSON that a node prints; undefined for data that was cut off. */
  json: string | undefined;
}

/**
 * A random value of a type, packed, with the JSON that a node prints for it. For an invalid ABI the data is generated as far as
 * possible, and its JSON has no meaning.
 */
export function generateData(abi: GeneratedAbi, type: string, random: Random): GeneratedData {
  const generator = new DataGenerator(abi, random);
  const { bytes, json } = generator.value(type, 0, true);
  return { bytes, json: generator.isCut ? undefined : json };
}

class DataGenerator {
  private readonly typedefs: Map<string, string>;
  private readonly structs: Map<string, GeneratedStruct>;
  private readonly variants: Map<string, string[]>;
  isCut = false;
  private values = 0;

  constructor(
    abi: GeneratedAbi,
    private readonly random: Random,
  ) {
    this.typedefs = new Map(abi.types.map(({ new_type_name, type }) => [new_type_name, type]));
    this.structs = new Map(abi.structs.map((struct) => [struct.name, struct]));
    this.variants = new Map(abi.variants.map(({ name, types }) => [name, types]));
  }

  /** `last`: no byte follows this value, so that its extensions may be absent. */
  value(type: string, depth: number, last = false): PackedValue {
    this.values++;
    if (depth > DEPTH_LIMIT || this.values > VALUES_LIMIT) {
      this.isCut = true;
      return { bytes: Buffer.of(0), json: '0' };
    }
    const typedef = this.typedefs.get(type);
    if (typedef !== undefined) return this.value(typedef, depth + 1, last);
    const array = /^(.*)\[([0-9]{0,10})\]$/s.exec(type);
    if (array) return this.array(array[1]!, array[2]!, depth);
    if (type.endsWith('?')) return this.optional(type.slice(0, -1), depth, last);
    const builtin = sampleBuiltin(type, this.random);
    if (builtin && !(type === 'bitset' && this.structs.has(type))) return builtin;
    const alternatives = this.variants.get(type);
    if (alternatives) return this.variant(alternatives, depth, last);
    const struct = this.structs.get(type);
    return struct ? this.struct(struct, depth, last) : { bytes: Buffer.of(this.random(256)), json: '0' };
  }

  private get isFull(): boolean {
    return this.values > MAX_VALUES;
  }

  private array(element: string, size: string, depth: number): PackedValue {
    const most = depth > MAX_DEPTH || this.isFull ? 0 : this.random(8) === 0 ? 40 : 3;
    const count = size === '' ? this.random(most + 1) : Math.min(Number(size), 10);
    const values = Array.from({ length: count }, () => this.value(element, depth + 1));
    return {
      bytes: Buffer.concat([...(size === '' ? [packVaruint(count)] : []), ...values.map(({ bytes }) => bytes)]),
      json: `[${values.map(({ json }) => json).join(',')}]`,
    };
  }

  private optional(element: string, depth: number, last: boolean): PackedValue {
    if (depth > MAX_DEPTH || this.isFull || this.random(2) === 0) return { bytes: Buffer.of(0), json: 'null' };
    const { bytes, json } = this.value(element, depth + 1, last);
    return { bytes: Buffer.concat([Buffer.of(1), bytes]), json };
  }

  private variant(alternatives: string[], depth: number, last: boolean): PackedValue {
    const tag = depth > MAX_DEPTH || this.isFull ? 0 : this.random(Math.max(1, alternatives.length));
    const type = alternatives[tag] ?? '';
    const { bytes, json } = this.value(type, depth + 1, last);
    return { bytes: Buffer.concat([packVaruint(tag), bytes]), json: `[${JSON.stringify(type)},${json}]` };
  }

  private struct(struct: GeneratedStruct, depth: number, last: boolean): PackedValue {
    const fields = this.allFields(struct);
    let count = fields.length;
    if (last && this.random(2) === 0) while (fields[count - 1]?.type.endsWith('$')) count--;
    const members = new Map<string, string>();
    const parts: Buffer[] = [];
    fields.slice(0, count).forEach(({ name, type }, index) => {
      const isLast = last && index === fields.length - 1;
      const { bytes, json } = this.value(type.replace(/\$$/, ''), depth + 1, isLast);
      members.set(name, json);
      parts.push(bytes);
    });
    const json = Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
    return { bytes: Buffer.concat(parts), json: `{${json}}` };
  }

  /** Fields of the most distant base first; cyclic bases are cut off. */
  private allFields(struct: GeneratedStruct): GeneratedStruct['fields'] {
    let fields = struct.fields;
    let base = this.structs.get(this.typedefs.get(struct.base) ?? struct.base);
    for (let level = 0; base && level < DEPTH_LIMIT; level++) {
      fields = [...base.fields, ...fields];
      base = this.structs.get(this.typedefs.get(base.base) ?? base.base);
    }
    return fields;
  }
}
