/** Characters in ASCII that need no escape in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * A text as JSON in ASCII, which bulk requests are made of. A contract chooses the texts of its data: a character beyond ASCII would
 * become another one there, a quote even. Most texts are names and numbers, which need no escape.
 */
export function asciiJson(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
