/**
 * A value as JSON in ASCII, which bulk requests are made of. A contract chooses the texts of its data: a character beyond ASCII would
 * become another one there, a quote even.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
