import { InvalidArgumentError } from 'commander';

/** The address of a gateway. A password in it would be shown in messages. */
export function requireUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It must begin with http:// or https://.');
  if (url.username || url.password) throw new InvalidArgumentError('It must not contain a user and a password.');
  return text;
}

export function requireText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}
