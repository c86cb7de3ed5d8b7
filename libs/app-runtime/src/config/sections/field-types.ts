import { z } from 'zod';

export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;

export const port = (meaning: string) => z.int().min(0).max(65535).describe(`${meaning} 0 = any free port.`);
const listenAddress = z
  .string()
  .min(1)
  .refine((text) => !text.startsWith('['))
  .meta({ takes: 'an IP address without brackets, or a host name' });
export const host = (fallback: string) => listenAddress.default(fallback).describe('Address to listen on.');
/** Users and passwords have keys of their own: a password in a URL needs to be encoded, and URLs are logged. */
export const serverUrl = (protocol: RegExp, takes: string) =>
  z
    .url({ protocol })
    .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '')
    .meta({ takes: `${takes} URL without user and password` });
const amqpUrl = serverUrl(/^amqps?$/, 'an amqp:// or amqps://');
/** One URL, or those of several nodes in one text, which stays as it is. */
export const amqpUrls = z
  .string()
  .refine((text) => text.split(',').every((url) => amqpUrl.safeParse(url.trim()).success))
  .meta({ takes: 'an amqp:// or amqps:// URL without user and password, or several separated by commas' });
export const httpUrl = serverUrl(/^https?$/, 'an http:// or https://');
/** One URL, or those of several equivalent servers in one text. */
export const httpUrlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .pipe(z.array(httpUrl));
export const takesHttpUrls = {
  takes: 'an http:// or https:// URL without user and password, or several separated by commas',
};
export const httpUrls = (fallback: string) => httpUrlList.prefault(fallback).meta(takesHttpUrls);
export const shipUrl = z.url({ protocol: /^wss?$/ }).meta({ takes: 'a ws:// or wss:// URL' });
export const count = (most: number) => z.int().min(1).max(most);
export const seconds = z.number().min(0.01).max(3600);
/** Only shells replace `~`: elsewhere it names a folder of that name in the working directory. */
export const path = z
  .string()
  .min(1)
  .refine((text) => !text.startsWith('~'))
  .meta({ takes: 'a path that does not begin with `~`' });
export const caFile = (server: string) =>
  path
    .optional()
    .describe(`PEM file of the authority that signed ${server} certificate; default: those of the system.`);
export const user = (server: string) => z.string().min(1).optional().describe(`User name for ${server}.`);
export const password = z
  .string()
  .min(1)
  .optional()
  .describe(`Password of the user; preferably set by an environment variable or \`password_file\`.`);
export const passwordFile = path.optional().describe('File that contains the password; replaces `password`.');
export const keyPrefix = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
  .meta({ takes: 'up to 64 of a-z, 0-9, _ and -' });
