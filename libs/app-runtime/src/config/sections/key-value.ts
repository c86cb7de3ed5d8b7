import { z } from 'zod';
import { caFile, keyPrefix, password, passwordFile, serverUrl, user } from './field-types';

const redis = z.strictObject({
  url: serverUrl(/^rediss?$/, 'a redis:// or rediss://')
    .default('redis://127.0.0.1:6379')
    .describe('The Redis server; the path of the URL is the database number.'),
  username: user('Redis'),
  password,
  password_file: passwordFile,
  ca_file: caFile("Redis's"),
  key_prefix: keyPrefix.default('history').describe('Prefix of all keys; each chain needs its own.'),
});

export const keyValue = z.strictObject({
  kind: z
    .enum(['memory', 'redis'])
    .default('memory')
    .describe('Key-value store for request counters and shared progress.'),
  redis: redis.prefault({}),
});
