import { createHash } from 'node:crypto';

/** Longer texts are hashed: a term has at most 32,766 bytes, and few texts of this length are ever searched. */
const MAX_TEXT = 200;

/**
 * The term of a value of a data field in `ActionDocument.data`. The document also has the contract and the name of the action, so
 * that the field's own name is enough; no name has one of the two separators.
 */
export function dataTerm(field: string, text: string): string {
  if (text.length <= MAX_TEXT) return `${field}=${text}`;
  return `${field}#${createHash('sha256').update(text).digest('hex')}`;
}
