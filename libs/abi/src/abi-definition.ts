import { hasErrorCode } from '@antelope-history/schemas';
import { AbiFootprint } from './abi-footprint';
import { invalidAbi } from './invalid-abi';
import { ByteReader } from './byte-reader';
import { utf8ToString } from './utf8';

/** The parts of an ABI that are needed to decode data (nodeos libraries/chain/include/eosio/chain/abi_def.hpp). */
export interface AbiDefinition {
  version: string;
  types: { new_type_name: string; type: string }[];
  structs: AbiStruct[];
  actions: { name: string; type: string }[];
  tables: { name: string; type: string }[];
  variants: { name: string; types: string[] }[];
  action_results: { name: string; result_type: string }[];
}

export interface AbiStruct {
  name: string;
  /** Name of the base struct, whose fields precede `fields`; empty if there is none. */
  base: string;
  fields: AbiField[];
}

export interface AbiField {
  name: string;
  type: string;
}

/** Far above the size of a transaction that a chain accepts; a larger ABI is treated as invalid. */
export const MAX_ABI_BYTES = 1 << 20;

/**
 * Parses the binary form of an ABI (abi_def 1.0 to 1.3). Ignores bytes after it, as the node does.
 *
 * Throws `ABI_INVALID` for bytes that are not an ABI, for more than 1 MiB, for an ABI that could need more than
 * `MAX_ABI_MEMORY`, and for an error message that is defined twice.
 */
export function parseAbi(bytes: Buffer): AbiDefinition {
  return parseAbiWithin(bytes, new AbiFootprint());
}

/** `parseAbi` with a `footprint` that counts the memory before it is allocated. */
export function parseAbiWithin(bytes: Buffer, footprint: AbiFootprint): AbiDefinition {
  if (bytes.length > MAX_ABI_BYTES)
    throw invalidAbi(`its size is ${bytes.length} bytes, the limit is ${MAX_ABI_BYTES}`);
  try {
    return new BinaryAbiParser(bytes, footprint).definition();
  } catch (error) {
    if (hasErrorCode(error, 'DECODE_FAILED')) throw invalidAbi(error.message, error);
    throw error;
  }
}

/** Reads the parts of a binary ABI in their packed order. */
class BinaryAbiParser {
  private readonly reader: ByteReader;

  constructor(
    bytes: Buffer,
    private readonly footprint: AbiFootprint,
  ) {
    this.reader = new ByteReader(bytes);
  }

  definition(): AbiDefinition {
    const version = this.text();
    const types = this.list(() => ({ new_type_name: this.text(), type: this.text() }));
    const structs = this.list(() => ({ name: this.text(), base: this.text(), fields: this.fields() }));
    const actions = this.list(() => this.action());
    const tables = this.list(() => this.table());
    this.skipClauses();
    this.skipErrorMessages();
    this.skipExtensions();
    const variants = this.optionalList(() => ({ name: this.text(), types: this.list(() => this.text()) }));
    const action_results = this.optionalList(() => ({ name: this.reader.name(), result_type: this.text() }));
    return { version, types, structs, actions, tables, variants, action_results };
  }

  private fields(): AbiField[] {
    return this.list(() => ({ name: this.text(), type: this.text() }));
  }

  private action(): { name: string; type: string } {
    const action = { name: this.reader.name(), type: this.text() };
    this.reader.lengthPrefixed(); // the Ricardian contract
    return action;
  }

  private table(): { name: string; type: string } {
    const name = this.reader.name();
    this.reader.lengthPrefixed(); // index type
    this.list(() => this.reader.lengthPrefixed()); // key names
    this.list(() => this.reader.lengthPrefixed()); // key types
    return { name, type: this.text() };
  }

  private skipClauses(): void {
    this.list(() => {
      this.reader.lengthPrefixed();
      this.reader.lengthPrefixed();
    });
  }

  private skipErrorMessages(): void {
    const codes = this.list(() => {
      const code = this.reader.uint64();
      this.reader.lengthPrefixed();
      return code;
    });
    if (new Set(codes).size < codes.length) throw invalidAbi('it defines an error message twice');
  }

  private skipExtensions(): void {
    this.list(() => {
      this.reader.uint16();
      this.reader.lengthPrefixed();
    });
  }

  private text(): string {
    const bytes = this.reader.lengthPrefixed();
    this.footprint.addText(bytes.length);
    return utf8ToString(bytes);
  }

  private list<T>(readEntry: () => T): T[] {
    const size = this.reader.varuint32();
    this.footprint.addEntries(size);
    return Array.from({ length: size }, readEntry);
  }

  /** ABIs have variants since version 1.1 and action results since version 1.2; older ABIs end before these lists. */
  private optionalList<T>(readEntry: () => T): T[] {
    return this.reader.remaining() > 0 ? this.list(readEntry) : [];
  }
}

/**
 * Parses the JSON form of an ABI, which a node sends as the first frame of its SHiP socket. Absent parts are empty.
 *
 * Throws `ABI_INVALID` for text that is not JSON or not an ABI.
 */
export function parseAbiJson(text: string): AbiDefinition {
  const abi = asObject(parseJson(text), 'the ABI');
  return {
    version: textOf(abi, 'version'),
    types: listOf(abi, 'types', (type) => ({
      new_type_name: textOf(type, 'new_type_name'),
      type: textOf(type, 'type'),
    })),
    structs: listOf(abi, 'structs', (struct) => ({
      name: textOf(struct, 'name'),
      base: textOf(struct, 'base'),
      fields: listOf(struct, 'fields', (field) => ({ name: textOf(field, 'name'), type: textOf(field, 'type') })),
    })),
    actions: listOf(abi, 'actions', (action) => ({ name: textOf(action, 'name'), type: textOf(action, 'type') })),
    tables: listOf(abi, 'tables', (table) => ({ name: textOf(table, 'name'), type: textOf(table, 'type') })),
    variants: listOf(abi, 'variants', (variant) => ({
      name: textOf(variant, 'name'),
      types: textsOf(variant, 'types'),
    })),
    action_results: listOf(abi, 'action_results', (result) => ({
      name: textOf(result, 'name'),
      result_type: textOf(result, 'result_type'),
    })),
  };
}

type JsonMembers = Record<string, unknown>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidAbi('it is not JSON', error);
  }
}

function asObject(value: unknown, what: string): JsonMembers {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidAbi(`${what} is not an object`);
  return value as JsonMembers;
}

function textOf(members: JsonMembers, key: string): string {
  const value = members[key] ?? '';
  if (typeof value !== 'string') throw invalidAbi(`"${key}" is not a string`);
  return value;
}

function arrayOf(members: JsonMembers, key: string): unknown[] {
  const value = members[key] ?? [];
  if (!Array.isArray(value)) throw invalidAbi(`"${key}" is not an array`);
  return value;
}

function listOf<T>(members: JsonMembers, key: string, read: (entry: JsonMembers) => T): T[] {
  return arrayOf(members, key).map((entry) => read(asObject(entry, `an entry of "${key}"`)));
}

function textsOf(members: JsonMembers, key: string): string[] {
  return arrayOf(members, key).map((entry) => {
    if (typeof entry !== 'string') throw invalidAbi(`an entry of "${key}" is not a string`);
    return entry;
  });
}
