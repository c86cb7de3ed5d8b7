import { distance } from 'fastest-levenshtein';
import { type Config, lettersOf } from '@antelope-history/app-runtime';
import { HistoryError, type Route } from '@antelope-history/schemas';

type Mode = Config['api']['unknownFields'];

/** Throws `INVALID_REQUEST` for a body with a field that must not be ignored. */
export type CheckUnknownFields = (body: Record<string, unknown>) => void;

/** Bounds the comparisons of names: a body of 64 KiB has room for thousands of fields. */
const MAX_UNKNOWN_FIELDS = 64;
const MAX_NAMES_SHOWN = 5;
const MAX_NAME_SHOWN = 40;

/**
 * Checks the fields that a route does not have. Nodes ignore such fields, and clients of nodes send some. `guard` refuses
 * those without which the request means something else: names with a dot where the route does not filter by action data, the route's
 * `refusedFields`, and near misses of both. `refuse` refuses all, `ignore` none. `null` means the same as an absent field.
 */
export function createUnknownFieldCheck(
  { request, refusedFields = {}, filtersData }: Route,
  mode: Mode,
): CheckUnknownFields {
  if (mode === 'ignore') return () => undefined;
  const known = new Set(Object.keys(request.shape));
  const advice = new Map(Object.entries(refusedFields));
  const nearMisses = [
    ...[...known].map((name) => ({ letters: lettersOf(name), what: `write ${name}`, isOwn: true })),
    ...[...advice].map(([name, what]) => ({ letters: lettersOf(name), what, isOwn: false })),
  ];
  const onDataFilter = filtersData ? DATA_FILTER_FORM : NO_DATA_FILTER;
  const adviceOn = (name: string): string | undefined => {
    const letters = lettersOf(name);
    const nearest = nearMisses.find((miss) => isNear(letters, miss));
    return advice.get(name) ?? nearest?.what ?? (name.includes('.') ? onDataFilter : undefined);
  };

  return (body) => {
    const isKnown = (name: string): boolean =>
      known.has(name) || (filtersData === true && isDataFilter(name) && !advice.has(name));
    const unknown = Object.keys(body).filter((name) => !isKnown(name) && body[name] !== null);
    if (unknown.length === 0) return;
    if (unknown.length > MAX_UNKNOWN_FIELDS) throw refusal(`send at most ${MAX_UNKNOWN_FIELDS} unknown fields`);
    const problems = unknown.flatMap((name) => {
      const what = adviceOn(name) ?? (mode === 'refuse' ? 'remove it' : undefined);
      return what === undefined ? [] : [`${name.slice(0, MAX_NAME_SHOWN)}: this endpoint has no such field; ${what}`];
    });
    if (problems.length > 0) throw refusal(problems.slice(0, MAX_NAMES_SHOWN).join('; '));
  };
}

const DATA_FILTER_FORM = 'write a filter on action data as action.field, for example transfer.to';
const NO_DATA_FILTER = 'remove it: this endpoint does not filter by action data';

/** Whether a name has the form `action.field` of a filter on action data. */
export function isDataFilter(name: string): boolean {
  return /^[a-z1-5.]{1,13}\.[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name);
}

function refusal(what: string): HistoryError {
  return new HistoryError('INVALID_REQUEST', what);
}

/** A name that others may be near misses of. `isOwn`: whether it is a field of the endpoint. */
interface KnownName {
  letters: string;
  what: string;
  isOwn: boolean;
}

/** Whether a name has at most the mistakes that `mistakesIn` allows, or the same letters in another order. */
function isNear(letters: string, known: KnownName): boolean {
  if (letters === known.letters) return true;
  const mistakes = mistakesIn(known);
  if (mistakes === 0 || Math.abs(letters.length - known.letters.length) > mistakes) return false;
  return distance(letters, known.letters) <= mistakes || sorted(letters) === sorted(known.letters);
}

/** How many letters of a name can be wrong before it is likelier a word of its own: `node` is not a misspelled `code`. */
function mistakesIn({ letters, isOwn }: KnownName): number {
  if (letters.length < (isOwn ? 3 : 6)) return 0;
  return letters.length < 8 ? 1 : 2;
}

function sorted(letters: string): string {
  return Array.from(letters).sort().join('');
}
