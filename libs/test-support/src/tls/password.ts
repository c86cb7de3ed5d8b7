import { randomInt } from 'node:crypto';

/** Characters that have a meaning in URLs, JSON, shells and protocols, and others. */
export const PASSWORD_CHARACTERS = Array.from('abcXYZ0189%/@:+?&=#;,"\'`\\{}[]<>$!*|~^ üß€😀');

const LENGTH = 24;

/** A password as nobody chooses one. */
export function makePassword(): string {
  const pick = (): string => PASSWORD_CHARACTERS[randomInt(PASSWORD_CHARACTERS.length)] ?? '';
  return Array.from({ length: LENGTH }, pick).join('');
}

/** Ways in which the password of a user may come to be shown. */
function formsOf(user: string, password: string): string[] {
  const bytes = Buffer.from(password);
  const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  return [
    password,
    encodeURIComponent(password),
    asJson(password),
    asJson(asJson(password)),
    bytes.toString('latin1'),
    bytes.toString('hex'),
    // Without the last characters, which depend on what follows.
    bytes.toString('base64').slice(0, -4),
    Buffer.from(`${user}:${password}`).toString('base64').slice(0, -4),
  ];
}

/** The forms of the passwords of a user that a text shows: empty is how it should be. */
export function shownIn(text: string, user: string, passwords: string[]): string[] {
  return passwords.flatMap((password) => formsOf(user, password)).filter((form) => text.includes(form));
}
