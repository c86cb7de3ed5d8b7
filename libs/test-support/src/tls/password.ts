import { randomInt } from 'node:crypto';

/** Characters with a meaning in URLs, JSON, shells and protocols, and others. */
export const PASSWORD_CHARACTERS = Array.from('abcXYZ0189%/@:+?&=#;,"\'`\\{}[]<>$!*|~^ üß€😀');

const LENGTH = 24;

/** A random password of such characters, without a space at its ends: `rabbitmqctl` removes it from what it reads. */
export function makePassword(): string {
  const pick = (): string => PASSWORD_CHARACTERS[randomInt(PASSWORD_CHARACTERS.length)] ?? '';
  const password = Array.from({ length: LENGTH }, pick).join('');
  return password === password.trim() ? password : makePassword();
}

/** The encodings in which a user's password could appear in output. */
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
    // Without the last characters, which depend on the following bytes.
    bytes.toString('base64').slice(0, -4),
    Buffer.from(`${user}:${password}`).toString('base64').slice(0, -4),
  ];
}

/** The encodings of a user's passwords that a text contains; empty when it leaks none. */
export function shownIn(text: string, user: string, passwords: string[]): string[] {
  return passwords.flatMap((password) => formsOf(user, password)).filter((form) => text.includes(form));
}
