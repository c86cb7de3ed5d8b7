import type { Hit } from '../client/search';
import type { ActionDocument, BodyDocument } from './documents';

/*
 * How a search asks for the contents of documents, and how a hit gives them. Queries use these only, so that what lies in
 * the index can be laid out for size.
 */

/** Goes into a search's body: gives whole actions. */
export const FETCH_ACTION = { _source: true } as const;

/** The whole action of a hit that was asked for with `FETCH_ACTION`. */
export function actionOf(hit: Hit): ActionDocument {
  return hit._source as ActionDocument;
}

/** Goes into a search's body: gives whole bodies. */
export const FETCH_BODY = { _source: true } as const;

/** The whole body of a hit that was asked for with `FETCH_BODY`. */
export function bodyOf(hit: Hit): BodyDocument {
  return hit._source as BodyDocument;
}
