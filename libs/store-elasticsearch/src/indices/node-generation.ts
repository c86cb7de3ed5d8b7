import type { NodeGeneration } from '@antelope-history/records';

/** The node generation in a document. The value `leap` is `eosio-2.1+` in the code: existing documents hold it. */
export type GenerationField = 'eosio-2.0' | 'leap';

export function toGenerationField(generation: NodeGeneration): GenerationField {
  return generation === 'eosio-2.0' ? 'eosio-2.0' : 'leap';
}

export function fromGenerationField(field: GenerationField): NodeGeneration {
  return field === 'eosio-2.0' ? 'eosio-2.0' : 'eosio-2.1+';
}
