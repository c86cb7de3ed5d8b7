import type { BlockPosition } from '@antelope-history/schemas';
import type { Query } from '../client/search';
import type { ProgressDocument } from './documents';

/**
 * Finds the documents of a committed block and others of its number. Above the last cleaned block, others are those of orphans, which
 * no query sees: they are left out.
 */
export function documentsOfNumber({ num, id }: BlockPosition, { clean_up_to: cleanUpTo }: ProgressDocument): Query {
  return num <= cleanUpTo ? { term: { block_num: num } } : { term: { block: id } };
}
