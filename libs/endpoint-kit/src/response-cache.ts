import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { stringifyJson } from '@antelope-history/json';
import type { KeyValue } from '@antelope-history/key-value';
import { resultWithin, counter, readServiceVersion, type Registry } from '@antelope-history/app-runtime';
import type { ChainStatus, HistoryReader } from '@antelope-history/store';
import type { FinalFacts } from './endpoint';
import { isIrreversible, shownHeads } from './irreversible';

const TTL_MS = 600_000;
/** Fetching a larger response takes longer than rendering it. */
const MAX_BYTES = 128 * 1024;
/** Longest wait of a request for the key-value store. */
const FIND_TIMEOUT_MS = 100;
/** Number of requests that are remembered to recognise repeated ones. */
const MAX_SEEN = 10_000;
/** The only field of a final response whose value changes (get_transaction). */
const CHANGING_FIELD = 'last_irreversible_block';

export interface ResponseCacheDeps {
  keyValue: KeyValue;
  reader: HistoryReader;
  registry: Registry;
  app: string;
}

/** A cached response: the history that it belongs to, and its text around the value of `CHANGING_FIELD`. */
interface CachedResponse {
  facts: { id: string; blockNum: number; chainId: string | null; storeId: string | null; firstBlockNum: number | null };
  before: string;
  /** Empty when the response has no changing field. */
  after: string;
}

/**
 * Caches final responses (irreversible blocks and transactions) in the key-value store once they are requested again. A
 * cached response is sent only after the store has confirmed that its block is still part of the history, so a client gets
 * the same response with and without the cache.
 */
export class ResponseCache {
  private readonly seen = new LRUCache<string, true>({ max: MAX_SEEN });
  private readonly count: (outcome: 'hit' | 'miss' | 'stale') => void;

  constructor(private readonly deps: ResponseCacheDeps) {
    const { registry, app } = deps;
    const lookups = counter(registry, {
      name: 'history_response_cache_total',
      help: 'Lookups in the response cache: hit, miss, or stale (found but no longer valid)',
      labelNames: ['app', 'outcome'],
    });
    for (const outcome of ['hit', 'miss', 'stale']) lookups.inc({ app, outcome }, 0);
    this.count = (outcome) => lookups.inc({ app, outcome });
  }

  /**
   * The cached response; undefined when there is none, or when the key-value store fails or takes longer than
   * `FIND_TIMEOUT_MS`. Rejects with the store's error when the store is unavailable.
   */
  async find(key: string): Promise<{ id: string; text: string } | undefined> {
    const { keyValue, reader } = this.deps;
    const value = await resultWithin(keyValue.get(key), FIND_TIMEOUT_MS, undefined);
    const cached = value === undefined ? undefined : parseCached(value);
    if (!cached) {
      this.count('miss');
      return undefined;
    }
    const status = await reader.getStatus();
    if (!isStillValid(cached, status)) {
      this.count('stale');
      return undefined;
    }
    this.count('hit');
    return { id: cached.facts.id, text: textOf(cached, status) };
  }

  /** Caches a response if this process has seen its request before and it is not large: most requests never recur. */
  keep(key: string, body: object, printed: readonly Buffer[], facts: FinalFacts): void {
    const isRepeated = this.seen.has(key);
    this.seen.set(key, true);
    const bytes = printed.reduce((sum, piece) => sum + piece.length, 0);
    if (!isRepeated || bytes > MAX_BYTES) return;
    const value = formatCached(body, facts);
    // A failed write costs nothing but rendering the response again.
    this.deps.keyValue.set(key, value, TTL_MS).catch(() => undefined);
  }
}

/**
 * Returns the function that turns the requests of a path into cache keys of constant length. Keys contain the service's
 * version, because another version may respond differently.
 */
export function createCacheKeys(path: string): (request: unknown) => string {
  const version = readServiceVersion();
  return (request) => {
    const hash = createHash('sha256').update(JSON.stringify(request)).digest('base64url');
    return `answer:${version}:${path}:${hash}`;
  };
}

/**
 * Whether the store would respond the same now: same chain, same history, and the block is still part of it. Chains that begin with the same
 * genesis have the same id, and the key-value store may keep responses of a store that was deleted.
 */
function isStillValid({ facts }: CachedResponse, status: ChainStatus): boolean {
  return (
    facts.chainId === (status.chainId ?? null) &&
    facts.storeId === (status.storeId ?? null) &&
    facts.firstBlockNum === (status.firstBlockNum ?? null) &&
    isIrreversible(facts.blockNum, status) &&
    facts.blockNum <= (status.committed?.num ?? 0)
  );
}

function textOf({ before, after }: CachedResponse, status: ChainStatus): string {
  return after === '' ? before : `${before}${shownHeads(status).lastIrreversible}${after}`;
}

/** Three lines: facts, text before and text after the changing value. JSON text contains no line breaks. */
function formatCached(body: object, { id, blockNum, status }: FinalFacts): string {
  const { chainId = null, storeId = null, firstBlockNum = null } = status;
  const facts: CachedResponse['facts'] = { id, blockNum, chainId, storeId, firstBlockNum };
  return [JSON.stringify(facts), ...splitAtChangingField(body)].join('\n');
}

/** The text of a response before and after the value of `CHANGING_FIELD`. */
function splitAtChangingField(body: object): [string, string] {
  const entries = Object.entries(body);
  const index = entries.findIndex(([name]) => name === CHANGING_FIELD);
  if (index < 0) return [stringifyJson(body), ''];
  const before = stringifyJson(Object.fromEntries(entries.slice(0, index)));
  const after = stringifyJson(Object.fromEntries(entries.slice(index + 1)));
  return [`${before.slice(0, -1)},"${CHANGING_FIELD}":`, `,${after.slice(1)}`];
}

/** Undefined for a value that is not complete. */
function parseCached(value: string): CachedResponse | undefined {
  const [facts = '', before, after, ...rest] = value.split('\n');
  if (before === undefined || after === undefined || rest.length > 0) return undefined;
  const parsed = parseFacts(facts);
  return parsed && { facts: parsed, before, after };
}

function parseFacts(text: string): CachedResponse['facts'] | undefined {
  try {
    const facts = JSON.parse(text) as Partial<CachedResponse['facts']> | null;
    const isComplete = typeof facts?.id === 'string' && typeof facts.blockNum === 'number';
    return isComplete ? (facts as CachedResponse['facts']) : undefined;
  } catch {
    return undefined;
  }
}
