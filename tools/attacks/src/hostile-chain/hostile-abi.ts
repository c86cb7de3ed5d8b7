import { ByteWriter, type Text } from './byte-writer';

/** An ABI whose parts may be anything that its binary form can say, valid or not. */
export interface HostileAbi {
  version?: Text;
  /** New name and type. */
  types?: [Text, Text][];
  structs?: HostileStruct[];
  /** Name and type. */
  actions?: [string, Text][];
  /** Code and message. */
  errors?: [number, Text][];
  variants?: { name: Text; types: Text[] }[];
  /** Action and type of what it returns. */
  results?: [string, Text][];
}

export interface HostileStruct {
  name: Text;
  base?: Text;
  /** Name and type. */
  fields: [Text, Text][];
}

/** Packs an ABI (abi_def 1.3, nodeos libraries/chain/include/eosio/chain/abi_def.hpp); nothing is checked. */
export function packHostileAbi(abi: HostileAbi): Buffer {
  const writer = new ByteWriter();
  const pair = ([left, right]: [Text, Text]): unknown => writer.text(left).text(right);
  writer.text(abi.version ?? 'eosio::abi/1.3');
  writer.list(abi.types ?? [], pair);
  writer.list(abi.structs ?? [], ({ name, base = '', fields }) => writer.text(name).text(base).list(fields, pair));
  writer.list(abi.actions ?? [], ([name, type]) => writer.name(name).text(type).text(''));
  writer.varuint(0); // tables
  writer.varuint(0); // Ricardian clauses
  writer.list(abi.errors ?? [], ([code, message]) => writer.uint64(code).text(message));
  writer.varuint(0); // extensions
  writer.list(abi.variants ?? [], ({ name, types }) => writer.text(name).list(types, (type) => writer.text(type)));
  writer.list(abi.results ?? [], ([action, type]) => writer.name(action).text(type));
  return writer.take();
}

/** The ABI of a contract with one action, `use`, of a struct with these fields. */
export function abiOfUse(fields: [Text, Text][], others: HostileAbi = {}): HostileAbi {
  return { ...others, structs: [...(others.structs ?? []), { name: 'use', fields }], actions: [['use', 'use']] };
}
