import { compileAbi, type AbiDefinition } from '@antelope-history/abi';
import type { AbiDecoders } from '@antelope-history/responses';

/** Decoders of one ABI, whose action `a` has one field. */
export function makeDecoders(fieldName: string, type: string): AbiDecoders {
  const definition: AbiDefinition = {
    version: 'eosio::abi/1.2',
    types: [],
    structs: [{ name: 's', base: '', fields: [{ name: fieldName, type }] }],
    actions: [{ name: 'a', type: 's' }],
    tables: [],
    variants: [],
    action_results: [],
  };
  const decoder = compileAbi(definition);
  return { at: () => decoder };
}
