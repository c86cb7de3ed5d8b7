import { type AbiDefinition, compileAbi, type DecodeAllowance } from '@antelope-history/abi';
import type { AbiJson } from '@antelope-history/chain-routes';
import type { NodeGeneration } from '@antelope-history/records';

/** The node packs an empty ABI to four bytes and treats an ABI of at most this size as none (abi_serializer.hpp, to_abi). */
const EMPTY_ABI_BYTES = 4;

const struct = (name: string, fields: Record<string, string>): AbiDefinition['structs'][number] => ({
  name,
  base: '',
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
});

/**
 * The ABI of packed ABIs (nodeos libraries/chain/include/eosio/chain/abi_def.hpp), so that an ABI is printed by the decoder of
 * action data, within its limits.
 */
const DECODER = compileAbi({
  version: 'eosio::abi/1.1',
  types: [],
  structs: [
    struct('type_def', { new_type_name: 'string', type: 'string' }),
    struct('field_def', { name: 'string', type: 'string' }),
    struct('struct_def', { name: 'string', base: 'string', fields: 'field_def[]' }),
    struct('action_def', { name: 'name', type: 'string', ricardian_contract: 'string' }),
    struct('table_def', {
      name: 'name',
      index_type: 'string',
      key_names: 'string[]',
      key_types: 'string[]',
      type: 'string',
    }),
    struct('clause_pair', { id: 'string', body: 'string' }),
    struct('error_message', { error_code: 'uint64', error_msg: 'string' }),
    struct('extension', { type: 'uint16', data: 'bytes' }),
    struct('variant_def', { name: 'string', types: 'string[]' }),
    struct('action_result_def', { name: 'name', result_type: 'string' }),
    struct('abi_def', {
      version: 'string',
      types: 'type_def[]',
      structs: 'struct_def[]',
      actions: 'action_def[]',
      tables: 'table_def[]',
      ricardian_clauses: 'clause_pair[]',
      error_messages: 'error_message[]',
      abi_extensions: 'extension[]',
      variants: 'variant_def[]$',
      action_results: 'action_result_def[]$',
    }),
  ],
  actions: [{ name: 'abi', type: 'abi_def' }],
  tables: [],
  variants: [],
  action_results: [],
});

/** An ABI as its decoder returns it. */
interface DecodedAbi extends Omit<AbiJson, 'abi_extensions' | 'variants'> {
  abi_extensions: { type: number; data: string }[];
  variants?: AbiJson['variants'];
}

export function isEmptyAbi(packed: Buffer): boolean {
  return packed.length <= EMPTY_ABI_BYTES;
}

/**
 * A packed ABI in the JSON of nodeos: fields in their packed order, lists that an older ABI ends before are empty. EOSIO 2.0
 * has no `action_results`. Undefined if the bytes are no ABI, or its JSON exceeds the limits of a decoding or `allowance`.
 */
export function renderAbi(packed: Buffer, generation: NodeGeneration, allowance: DecodeAllowance): AbiJson | undefined {
  const decoded = DECODER.decodeAction('abi', packed, allowance) as unknown as DecodedAbi | undefined;
  if (!decoded) return undefined;
  const { abi_extensions, variants = [], action_results = [], ...fields } = decoded;
  return {
    ...fields,
    abi_extensions: abi_extensions.map(({ type, data }) => [type, data]),
    variants,
    ...(generation === 'eosio-2.0' ? {} : { action_results }),
  };
}
