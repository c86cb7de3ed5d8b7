import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import { resultWithin, type Config, type Logger } from '@antelope-history/app-runtime';
import { WINDOW_MS } from './shared-window';
import { WindowCounts } from './window-counts';

/** One API key: its SHA-256 and its limits per minute; 0 = no limit. */
const apiKeySchema = z.object({
  name: z.string().regex(/^[\w.-]{1,64}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  requests_per_minute: z.int().min(0).default(0),
  cost_per_minute: z.int().min(0).default(0),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/**
 * `unavailable`: the key-value store, which may hold the key, does not respond. `limited`: the sender has sent so many unknown keys that
 * this one was not looked up.
 */
export type FoundKey = ApiKey | 'unknown' | 'unavailable' | 'limited';
export type FindApiKey = (key: string, sender: KeySender) => Promise<FoundKey>;

/** The address that sends a key, with the limits that it has without one; 0 = no limit. */
export interface KeySender {
  id: string;
  requestsPerMinute: number;
  costPerMinute: number;
}

/** How long a result of the key-value store is cached, and how often the file is checked for changes. */
const CACHED_MS = 5_000;
const MAX_CACHED = 10_000;
const READ_LIMIT_MS = 250;
/** Unknown keys that are looked up per minute of an address without a limit: 100 per second, which a key-value store does not notice. */
const MAX_MISSES_WITHOUT_LIMIT = 6_000;

export interface ApiKeyDeps {
  config: Pick<Config, 'gateway'>;
  keyValue: KeyValue;
  log: Logger;
  /** Milliseconds of a steady clock. */
  now(): number;
}

/**
 * Finds API keys by their SHA-256, the only form in which they are stored; undefined where no keys are configured. Throws
 * `CONFIG_INVALID` when the file cannot be read.
 */
export function createApiKeys({ config, keyValue, log, now }: ApiKeyDeps): FindApiKey | undefined {
  const { apiKeysFile, apiKeysInKeyValue, requireApiKey } = config.gateway;
  if (apiKeysFile === undefined && !apiKeysInKeyValue && !requireApiKey) return undefined;
  const file = apiKeysFile === undefined ? undefined : new ApiKeyFile(apiKeysFile, log, now);
  const stored = apiKeysInKeyValue ? new StoredApiKeys(keyValue, now) : undefined;
  return async (key, sender) => {
    const sha256 = createHash('sha256').update(key).digest('hex');
    return file?.find(sha256) ?? (await stored?.find(sha256, sender)) ?? 'unknown';
  };
}

/** The keys of a file, reloaded when it changes; if the new content is invalid, the old keys stay in force. */
class ApiKeyFile {
  private keys: Map<string, ApiKey>;
  private changedAt: number | undefined;
  private checkedAt: number;

  constructor(
    private readonly path: string,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {
    // Before it is read: a change meanwhile is then seen as one.
    this.changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    this.keys = readKeys(path);
    this.checkedAt = now();
  }

  find(sha256: string): ApiKey | undefined {
    if (this.now() - this.checkedAt >= CACHED_MS) this.reloadIfChanged();
    return this.keys.get(sha256);
  }

  private reloadIfChanged(): void {
    this.checkedAt = this.now();
    const changedAt = statSync(this.path, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt === this.changedAt || changedAt === undefined) return;
    this.changedAt = changedAt;
    try {
      this.keys = readKeys(this.path);
    } catch (error) {
      this.log.error({ error }, 'the file of API keys cannot be reloaded; the old keys stay in force');
    }
  }
}

function readKeys(path: string): Map<string, ApiKey> {
  try {
    const keys = z.array(apiKeySchema).parse(JSON.parse(readFileSync(path, 'utf8')));
    return new Map(keys.map((key) => [key.sha256, key]));
  } catch {
    // The parser's message could quote the file, so it is left out.
    const expected = 'a JSON file of [{ "name", "sha256", "requests_per_minute", "cost_per_minute" }] is expected';
    throw new HistoryError('CONFIG_INVALID', `gateway.api_keys_file: ${path} cannot be read: ${expected}`);
  }
}

/**
 * Keys in the key-value store; results, including "unknown", are cached for CACHED_MS. Made-up keys neither displace known ones from the
 * cache nor cause more requests to the key-value store than their sender's limits allow.
 */
class StoredApiKeys {
  /** Kept when they have expired: a key that was known is looked up again, whatever others at its address send. */
  private readonly known = new LRUCache<string, { key: ApiKey; until: number }>({ max: MAX_CACHED });
  /** Until when a key counts as unknown. */
  private readonly unknown = new LRUCache<string, number>({ max: MAX_CACHED });
  private readonly reading = new Map<string, Promise<FoundKey>>();
  /** Unknown keys that were looked up, by sender. */
  private readonly misses = new WindowCounts();

  constructor(
    private readonly keyValue: KeyValue,
    private readonly now: () => number,
  ) {}

  async find(sha256: string, sender: KeySender): Promise<FoundKey> {
    const known = this.known.get(sha256);
    if (known && known.until > this.now()) return known.key;
    if ((this.unknown.get(sha256) ?? 0) > this.now()) return 'unknown';
    const reading = this.reading.get(sha256);
    if (reading) return reading;
    if (!known && this.misses.of(sender.id, this.windowStart()) >= limitOf(sender)) return 'limited';
    const read = this.read(sha256, sender).finally(() => this.reading.delete(sha256));
    this.reading.set(sha256, read);
    return read;
  }

  private async read(sha256: string, sender: KeySender): Promise<FoundKey> {
    const stored = this.keyValue.get(`api-key:${sha256}`).then((text) => text ?? '');
    const text = await resultWithin(stored, READ_LIMIT_MS, undefined);
    if (text === undefined) return 'unavailable';
    const key = parseStored(text, sha256);
    const until = this.now() + CACHED_MS;
    if (key === 'unknown') {
      this.known.delete(sha256);
      this.unknown.set(sha256, until);
      this.misses.count(sender.id, this.windowStart());
    } else this.known.set(sha256, { key, until });
    return key;
  }

  private windowStart(): number {
    const now = this.now();
    return now - (now % WINDOW_MS);
  }
}

/** A request with an unknown key counts as one of its sender's requests and costs at least one unit. */
function limitOf({ requestsPerMinute, costPerMinute }: KeySender): number {
  if (requestsPerMinute === 0 && costPerMinute === 0) return MAX_MISSES_WITHOUT_LIMIT;
  return Math.min(requestsPerMinute || Infinity, costPerMinute || Infinity);
}

/** The value need not repeat the hash, which is part of its key. */
function parseStored(text: string, sha256: string): ApiKey | 'unknown' {
  try {
    return apiKeySchema.parse({ ...(JSON.parse(text) as object), sha256 });
  } catch {
    return 'unknown';
  }
}
