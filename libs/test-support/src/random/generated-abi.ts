import { BUILTIN_NAMES } from './builtin-samples';
import { packBytes, packList, packName, packText, packVaruint } from './packed-bytes';
import type { Random } from './random';

/** A generated ABI. It has the shape of libs/abi, on which this library does not depend. */
export interface GeneratedAbi {
  version: string;
  types: { new_type_name: string; type: string }[];
  structs: GeneratedStruct[];
  actions: { name: string; type: string }[];
  tables: { name: string; type: string }[];
  variants: { name: string; types: string[] }[];
  action_results: { name: string; result_type: string }[];
}

export interface GeneratedStruct {
  name: string;
  base: string;
  fields: { name: string; type: string }[];
}

export interface AbiOptions {
  /** Omits features that other libraries lack or treat differently: fixed sizes, odd field names, bitset. */
  plain?: boolean;
}

const MAX_STRUCTS = 5;
const MAX_FIELDS = 5;
const SUFFIXES = ['[]', '?', '[2]'];
const ODD_NAMES = [
  '0',
  '7',
  '4294967295',
  '01',
  '__proto__',
  'constructor',
  'toJSON',
  '',
  'a b',
  '"\\',
  '\u0001',
  'é\u{1f600}',
];
const ACTIONS = ['go', 'transfer', 'a.b.c', 'zzzzzzzzzzzz', '1'];

/**
 * A valid ABI: structs with bases, typedefs and variants that refer to one another, and to themselves where an optional
 * or an array ends the recursion.
 */
export function generateAbi(random: Random, options: AbiOptions = {}): GeneratedAbi {
  return new AbiGenerator(random, options.plain ?? false).generate();
}

class AbiGenerator {
  private readonly abi: GeneratedAbi = {
    version: 'eosio::abi/1.3',
    types: [],
    structs: [],
    actions: [],
    tables: [],
    variants: [],
    action_results: [],
  };
  /** Types that are defined already. */
  private readonly known: string[] = [];

  constructor(
    private readonly random: Random,
    private readonly plain: boolean,
  ) {}

  generate(): GeneratedAbi {
    const count = 1 + this.random(MAX_STRUCTS);
    for (let index = 0; index < count; index++) {
      if (this.random(3) === 0) this.addTypedef(`t${index}`);
      if (this.random(3) === 0) this.addVariant(`v${index}`);
      this.addStruct(`s${index}`);
    }
    for (const name of ACTIONS.slice(0, 1 + this.random(ACTIONS.length))) {
      this.abi.actions.push({ name, type: this.pick(this.abi.structs).name });
      if (this.random(2) === 0) this.abi.action_results.push({ name, result_type: this.type() });
    }
    if (this.random(3) === 0) this.abi.tables.push({ name: 'rows', type: this.pick(this.abi.structs).name });
    return this.abi;
  }

  private addTypedef(name: string): void {
    this.abi.types.push({ new_type_name: name, type: this.type() });
    this.known.push(name);
  }

  /** The first alternative is not recursive, so that every value can end. */
  private addVariant(name: string): void {
    const others = Array.from({ length: this.random(3) }, () => (this.random(4) === 0 ? name : this.type()));
    this.abi.variants.push({ name, types: [...new Set([this.builtin(), ...others])] });
    this.known.push(name);
  }

  private addStruct(name: string): void {
    const base = this.random(3) === 0 && this.abi.structs.length > 0 ? this.pick(this.abi.structs) : undefined;
    // A field after an extension must be an extension too.
    const extensible = base === undefined || !base.fields.some(({ type }) => type.endsWith('$'));
    const fields = Array.from({ length: 1 + this.random(MAX_FIELDS) }, (_, index) => ({
      name: this.fieldName(name, index),
      type: this.random(6) === 0 ? `${name}${this.pick(['?', '[]'])}` : this.type(),
    }));
    if (extensible && this.random(4) === 0) fields.push({ name: `${name}_ext`, type: `${this.type()}$` });
    this.abi.structs.push({ name, base: extensible ? (base?.name ?? '') : '', fields });
    this.known.push(name);
  }

  private fieldName(struct: string, index: number): string {
    if (this.plain || this.random(4) > 0) return `${struct}_${index}`;
    return this.random(3) === 0 ? 'twice' : this.pick(ODD_NAMES);
  }

  private type(): string {
    const name = this.random(2) === 0 && this.known.length > 0 ? this.pick(this.known) : this.builtin();
    if (this.random(3) > 0) return name;
    return name + (this.plain ? this.pick(['?', '[]']) : this.pick(SUFFIXES));
  }

  private builtin(): string {
    const name = this.pick(BUILTIN_NAMES);
    return this.plain && name === 'bitset' ? 'bytes' : name;
  }

  private pick<T>(values: readonly T[]): T {
    return values[this.random(values.length)]!;
  }
}

/** The binary form of an ABI. Sections that decoding skips are not empty either. */
export function packGeneratedAbi(abi: GeneratedAbi): Buffer {
  return Buffer.concat([
    packText(abi.version),
    packList(abi.types, ({ new_type_name, type }) => Buffer.concat([packText(new_type_name), packText(type)])),
    packList(abi.structs, packStruct),
    packList(abi.actions, ({ name, type }) => Buffer.concat([packName(name), packText(type), packText('# text')])),
    packList(abi.tables, packTable),
    packList(['clause'], (id) => Buffer.concat([packText(id), packText('text')])),
    packList([7], (code) => Buffer.concat([Buffer.of(code, 0, 0, 0, 0, 0, 0, 0), packText('message')])),
    packList([1], (tag) => Buffer.concat([Buffer.of(tag, 0), packBytes(Buffer.of(1, 2))])),
    packList(abi.variants, ({ name, types }) => Buffer.concat([packText(name), packList(types, packText)])),
    packList(abi.action_results, ({ name, result_type }) => Buffer.concat([packName(name), packText(result_type)])),
  ]);
}

function packStruct({ name, base, fields }: GeneratedStruct): Buffer {
  const packedFields = packList(fields, (field) => Buffer.concat([packText(field.name), packText(field.type)]));
  return Buffer.concat([packText(name), packText(base), packedFields]);
}

function packTable({ name, type }: { name: string; type: string }): Buffer {
  return Buffer.concat([
    packName(name),
    packText('i64'),
    packList(['key'], packText),
    packVaruint(1),
    packText('uint64'),
    packText(type),
  ]);
}
