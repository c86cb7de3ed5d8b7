import { ABI, Serializer } from '@wharfkit/antelope';
import type { AbiDefinition } from '../src/index';

/** An ABI with the given parts; all other parts are empty. */
export function definition(parts: Partial<AbiDefinition>): AbiDefinition {
  return {
    version: 'eosio::abi/1.3',
    types: [],
    structs: [],
    actions: [],
    tables: [],
    variants: [],
    action_results: [],
    ...parts,
  };
}

/** A struct with the fields `name: type`. */
export function struct(name: string, fields: Record<string, string>, base = ''): AbiDefinition['structs'][number] {
  return { name, base, fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })) };
}

/** The same ABI for wharfkit, with the parts that decoding does not need. */
export function wharfkitAbi(abi: AbiDefinition): ABI {
  const actions = abi.actions.map((action) => ({ ...action, ricardian_contract: '# text' }));
  const tables = abi.tables.map((table) => ({ ...table, index_type: 'i64', key_names: ['k'], key_types: ['uint64'] }));
  return ABI.from({ ...abi, actions, tables });
}

/** The binary form of an ABI, packed by wharfkit. */
export function packAbi(abi: AbiDefinition): Buffer {
  return Buffer.from(Serializer.encode({ object: wharfkitAbi(abi) }).array);
}
