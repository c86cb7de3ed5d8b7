import type { Hit } from '../client/search';
import type { ActionDocument, BodyDocument } from './documents';

/*
 * How a search requests document contents and how they are read from a hit. Queries use only these functions, so the stored
 * layout can change without them.
 */

/** The part of a search's body that requests whole actions. */
export const FETCH_ACTION = { _source: true } as const;

/** The action of a hit that was requested with `FETCH_ACTION`. */
export function actionOf(hit: Hit): ActionDocument {
  return hit._source as ActionDocument;
}

/** The part of a search's body that requests whole bodies. */
export const FETCH_BODY = { _source: true } as const;

/** The body of a hit that was requested with `FETCH_BODY`. */
export function bodyOf(hit: Hit): BodyDocument {
  return hit._source as BodyDocument;
}
