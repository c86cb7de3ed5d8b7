/**
 * The characters up to which a record is a term. The server compresses 64 terms together and unpacks them all to return one: a row with
 * 1,000, 8,000 or 23,000 bytes of data then takes 0.25, 0.9 or 4.4 ms. Binary values are kept alone and as they are: 0.12, 0.3 or 0.9 ms.
 */
const MAX_TERM_LENGTH = 1_000;

/** The field that keeps an action's record, given in base64. */
export function recordField(record: string): 'record' | 'large_record' {
  return record.length <= MAX_TERM_LENGTH ? 'record' : 'large_record';
}

/** A doc value has at most 32,766 bytes (Lucene's IndexWriter.MAX_TERM_LENGTH). */
const MAX_VALUE_LENGTH = 32_000;
/** Digits of the number that precedes each of several values. */
const NUMBER_DIGITS = 4;
const NUMBER_RADIX = 36;

/**
 * The doc values of an ASCII text: itself, or several parts of it, each with its number before it, because the server sorts the values of
 * a field. The numbers suffice for 53 GB.
 */
export function docValues(text: string): string | string[] {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  const values: string[] = [];
  for (let start = 0; start < text.length; start += MAX_VALUE_LENGTH) {
    const number = values.length.toString(NUMBER_RADIX).padStart(NUMBER_DIGITS, '0');
    values.push(number + text.slice(start, start + MAX_VALUE_LENGTH));
  }
  return values;
}

/** The text whose values the server returned, in their order. */
export function textOf(values: readonly string[]): string {
  const [first = ''] = values;
  return values.length === 1 ? first : values.map((value) => value.slice(NUMBER_DIGITS)).join('');
}
