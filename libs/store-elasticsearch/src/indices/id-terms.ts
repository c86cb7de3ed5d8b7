import type { Query } from '../client/search';

/**
 * The hex digits of a transaction's id that are indexed. Ids are the digests of transactions that anyone may send: two with the same
 * 16 bytes take 2^64 attempts. Whole ids would take 64 bytes of each transaction, more than its actions.
 */
const TERM_DIGITS = 32;
const ID_DIGITS = 64;

/** What a body document has of a transaction's id. */
export function idTerm(id: string): string {
  return id.slice(0, TERM_DIGITS);
}

/**
 * Finds the bodies that may have a transaction whose id begins with these digits; a caller compares the whole ids. Documents of format 1
 * have whole ids.
 */
export function bodiesOfId(idPrefix: string): Query {
  if (idPrefix.length <= TERM_DIGITS) return { prefix: { transactions: idPrefix } };
  if (idPrefix.length === ID_DIGITS) return { terms: { transactions: [idTerm(idPrefix), idPrefix] } };
  const ofFormat1: Query = { prefix: { transactions: idPrefix } };
  return { bool: { should: [{ term: { transactions: idTerm(idPrefix) } }, ofFormat1] } };
}

/** Finds the bodies that may have a transaction with another id that begins with these digits, whether or not they have this one, too. */
export function bodiesOfOtherIds(idPrefix: string, id: string): Query {
  // In the order of texts, `g` follows all hex digits: what is indexed of this id lies between the two ranges.
  const term = idTerm(id);
  const below: Query = { range: { transactions: { gte: idPrefix, lt: term } } };
  const above: Query = { range: { transactions: { gt: `${term}g`, lt: `${idPrefix}g` } } };
  return { bool: { should: [below, above] } };
}
