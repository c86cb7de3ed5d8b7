import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import { answerInTime, type Config, type Logger } from '@antelope-history/service';

/** Whoever has the key may send so many requests, and of so much cost; 0 = any. */
const apiKeySchema = z.object({
  name: z.string().regex(/^[\w.-]{1,64}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  requests_per_minute: z.int().min(0).default(0),
  cost_per_minute: z.int().min(0).default(0),
});
export type ApiKey = z.infer<typeof apiKeySchema>;
/** `unavailable`: the key-value store, which may know it, does not respond. */
export type FindApiKey = (key: string) => Promise<ApiKey | 'unknown' | 'unavailable'>;

/** A file is looked at so often, and what the key-value store said is remembered so long. */
const REMEMBERED_MS = 5_000;
const MOST_REMEMBERED = 10_000;
const READ_LIMIT_MS = 250;

export interface ApiKeyDeps {
  config: Pick<Config, 'gateway'>;
  keyValue: KeyValue;
  log: Logger;
  now(): number;
}

/**
 * Finds API keys by their SHA-256, which is all that is kept of them; undefined where no keys are configured. Throws
 * `CONFIG_INVALID` when the file can't be read.
 */
export function createApiKeys({ config, keyValue, log, now }: ApiKeyDeps): FindApiKey | undefined {
  const { apiKeysFile, apiKeysInKeyValue, requireApiKey } = config.gateway;
  if (apiKeysFile === undefined && !apiKeysInKeyValue && !requireApiKey) return undefined;
  const file = apiKeysFile === undefined ? undefined : new ApiKeyFile(apiKeysFile, log, now);
  const stored = apiKeysInKeyValue ? new StoredApiKeys(keyValue, now) : undefined;
  return async (key) => {
    const sha256 = createHash('sha256').update(key).digest('hex');
    return file?.find(sha256) ?? (await stored?.find(sha256)) ?? 'unknown';
  };
}

/** Keys of a file; when it changes for the worse, those that it had stay. */
class ApiKeyFile {
  private keys: Map<string, ApiKey>;
  private changedAt: number;
  private lookedAt: number;

  constructor(
    private readonly path: string,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {
    this.keys = readKeys(path);
    this.changedAt = statSync(path).mtimeMs;
    this.lookedAt = now();
  }

  find(sha256: string): ApiKey | undefined {
    if (this.now() - this.lookedAt >= REMEMBERED_MS) this.lookAgain();
    return this.keys.get(sha256);
  }

  private lookAgain(): void {
    this.lookedAt = this.now();
    const changedAt = statSync(this.path, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt === this.changedAt || changedAt === undefined) return;
    this.changedAt = changedAt;
    try {
      this.keys = readKeys(this.path);
    } catch (error) {
      this.log.error({ error }, 'the API keys can not be read again; the old ones stay');
    }
  }
}

function readKeys(path: string): Map<string, ApiKey> {
  try {
    const keys = z.array(apiKeySchema).parse(JSON.parse(readFileSync(path, 'utf8')));
    return new Map(keys.map((key) => [key.sha256, key]));
  } catch {
    // What is wrong with it may quote it.
    const takes = 'takes a file of [{ "name", "sha256", "requests_per_minute", "cost_per_minute" }]';
    throw new HistoryError('CONFIG_INVALID', `gateway.api_keys_file: ${path} can not be read: ${takes}`);
  }
}

/** Keys of the key-value store, remembered for a while, those that are not there, too. */
class StoredApiKeys {
  private readonly remembered = new Map<string, { key: ApiKey | 'unknown'; until: number }>();

  constructor(
    private readonly keyValue: KeyValue,
    private readonly now: () => number,
  ) {}

  async find(sha256: string): Promise<ApiKey | 'unknown' | 'unavailable'> {
    const known = this.remembered.get(sha256);
    if (known && known.until > this.now()) return known.key;
    const stored = this.keyValue.get(`api-key:${sha256}`).then((text) => text ?? '');
    const text = await answerInTime(stored, READ_LIMIT_MS, undefined);
    if (text === undefined) return 'unavailable';
    const key = parseStored(text, sha256);
    if (this.remembered.size >= MOST_REMEMBERED) this.remembered.clear();
    this.remembered.set(sha256, { key, until: this.now() + REMEMBERED_MS });
    return key;
  }
}

/** The hash stands in the key: the value need not repeat it. */
function parseStored(text: string, sha256: string): ApiKey | 'unknown' {
  try {
    return apiKeySchema.parse({ ...(JSON.parse(text) as object), sha256 });
  } catch {
    return 'unknown';
  }
}
