import { distance } from 'fastest-levenshtein';

/** Share of a name's letters that may be wrong before another name is likelier to be meant. */
const MAX_WRONG = 0.3;

/**
 * The known name that a misspelled one probably means; undefined when none is near. A name whose last part is right under
 * another section is near, too: `api.port` means `gateway.port`.
 */
export function nearestKey(unknown: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((name) => ({ name, wrong: distance(lettersOf(unknown), lettersOf(name)) }))
    .sort((left, right) => left.wrong - right.wrong);
  if (nearest && nearest.wrong <= Math.max(1, unknown.length * MAX_WRONG)) return nearest.name;
  const sameEnd = known.filter((name) => lastPart(name) === lastPart(unknown));
  return sameEnd.length === 1 ? sameEnd[0] : undefined;
}

/** `maxMessageBytes` and `max-message-bytes` are the same letters as `max_message_bytes`. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function lastPart(name: string): string {
  return lettersOf(name.slice(name.lastIndexOf('.') + 1));
}
