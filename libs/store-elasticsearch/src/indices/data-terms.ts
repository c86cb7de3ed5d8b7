import { createHash } from 'node:crypto';

/** Longer texts are hashed: a term has at most 32,766 bytes, and few texts of this length are ever searched. */
const MAX_TEXT = 200;
/** 64 bits: a mark is compared with those of the same block only. */
const MARK_DIGITS = 16;

/**
 * The term of a value of a data field in `ActionDocument.data`. The document also has the contract and the name of the action, so
 * that the field's own name is enough; no name has one of the two separators.
 */
export function dataTerm(field: string, text: string): string {
  if (text.length <= MAX_TEXT) return `${field}=${text}`;
  return `${field}#${createHash('sha256').update(text).digest('hex')}`;
}

/** What the values of a block's data fields depend on, besides the block. */
export interface DataOrigin {
  /** The keys of the indexed data fields. */
  fields: readonly string[];
  /** By contract, the hash of the ABI that it is taken to have before the block. */
  abis: Readonly<Record<string, string>>;
  /** `abi_rewrites` of the progress. */
  rewrites: number;
}

/**
 * The term in `ActionDocument.data` of every action of a block that may have indexed data. It tells which data fields and ABIs the
 * values come from: several processes may write one block, and each knows other ABIs and may have another configuration. A
 * field has a name, so that no `dataTerm` begins like it.
 */
export function dataMark(blockId: string, { fields, abis, rewrites }: DataOrigin): string {
  const origin = JSON.stringify([blockId, [...fields].sort(), Object.entries(abis).sort(), rewrites]);
  return `=${createHash('sha256').update(origin).digest('hex').slice(0, MARK_DIGITS)}`;
}
