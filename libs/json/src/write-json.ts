/**
 * Functions that return JSON text. Responses have thousands of objects of a few shapes; writing their text directly takes half
 * the time of creating the objects and printing them. Chain names and hex digits have no characters that JSON escapes, so
 * writers put them between quotes; any other string goes through `writeString`.
 */

/** A string of any characters. */
export function writeString(text: string): string {
  return JSON.stringify(text);
}

/** Bytes as a string of hex digits. */
export function writeHex(bytes: Buffer): string {
  return bytes.length === 0 ? '""' : `"${bytes.toString('hex')}"`;
}

/** An array of the texts that `write` returns for the elements. */
export function writeArray<T>(elements: readonly T[], write: (element: T) => string): string {
  let text = '[';
  for (let index = 0; index < elements.length; index++) {
    if (index > 0) text += ',';
    text += write(elements[index] as T);
  }
  return `${text}]`;
}
