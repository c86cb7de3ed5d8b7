import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { stringifyJson } from '@antelope-history/json';
import type { KeyValue } from '@antelope-history/key-value';
import type { ChainStatus } from '@antelope-history/records';
import { answerInTime, counter, readServiceVersion, type Registry } from '@antelope-history/service';
import type { HistoryReader } from '@antelope-history/store';
import type { FinalFacts } from './endpoint';
import { isIrreversible } from './irreversible';

const TTL_MS = 600_000;
/** Larger ones are slower to fetch than to make. */
const MOST_BYTES = 128 * 1024;
/** No request waits longer for what may be kept. */
const FIND_LIMIT_MS = 100;
/** How many requests are remembered, to see which come again. */
const MOST_ASKED = 10_000;
/** The one field of such answers that goes on moving (get_transaction). */
const MOVING = 'last_irreversible_block';

export interface ResponseCacheDeps {
  keyValue: KeyValue;
  reader: HistoryReader;
  registry: Registry;
  app: string;
}

/** What is kept of an answer: on which history it was given, and its text around the field that moves. */
interface KeptAnswer {
  facts: { id: string; blockNum: number; chainId: string | null; firstBlockNum: number | null };
  before: string;
  /** Empty when nothing moves. */
  after: string;
}

/**
 * Answers of irreversible blocks and transactions, kept in the key-value store when they are asked for again. One is
 * given only after the store said that the block still is a part of its history, so that an answer is the same whether it
 * was kept or not; without the key-value store they are all made anew.
 */
export class ResponseCache {
  private readonly asked = new LRUCache<string, true>({ max: MOST_ASKED });
  private readonly count: (outcome: 'hit' | 'miss' | 'stale') => void;

  constructor(private readonly deps: ResponseCacheDeps) {
    const { registry, app } = deps;
    const lookups = counter(registry, {
      name: 'history_final_answers_total',
      help: 'Looks for a kept answer: found, not found, or found and no longer so',
      labelNames: ['app', 'outcome'],
    });
    for (const outcome of ['hit', 'miss', 'stale']) lookups.inc({ app, outcome }, 0);
    this.count = (outcome) => lookups.inc({ app, outcome });
  }

  /** The kept answer; undefined when there is none. Rejects as the store does when it is away. */
  async find(key: string): Promise<{ id: string; text: string } | undefined> {
    const { keyValue, reader } = this.deps;
    const value = await answerInTime(keyValue.get(key), FIND_LIMIT_MS, undefined);
    const kept = value === undefined ? undefined : parseKept(value);
    if (!kept) {
      this.count('miss');
      return undefined;
    }
    const status = await reader.getStatus();
    if (!isStillSo(kept, status)) {
      this.count('stale');
      return undefined;
    }
    this.count('hit');
    return { id: kept.facts.id, text: textOf(kept, status) };
  }

  /** Keeps an answer that this process was asked for before, unless it is large: most are asked for once. */
  keep(key: string, body: object, printed: readonly Buffer[], facts: FinalFacts): void {
    const wasAsked = this.asked.has(key);
    this.asked.set(key, true);
    const bytes = printed.reduce((sum, piece) => sum + piece.length, 0);
    if (!wasAsked || bytes > MOST_BYTES) return;
    const value = formatKept(body, facts);
    // Without it the answer is made anew.
    this.deps.keyValue.set(key, value, TTL_MS).catch(() => undefined);
  }
}

/** Requests as short keys, whatever clients send; another version may answer otherwise. */
export function createCacheKeys(path: string): (request: unknown) => string {
  const version = readServiceVersion();
  return (request) => {
    const hash = createHash('sha256').update(JSON.stringify(request)).digest('base64url');
    return `answer:${version}:${path}:${hash}`;
  };
}

/** Whether a store would answer the same now: it was given of the same chain and history, and the block is still there. */
function isStillSo({ facts }: KeptAnswer, status: ChainStatus): boolean {
  return (
    facts.chainId === (status.chainId ?? null) &&
    facts.firstBlockNum === (status.firstBlockNum ?? null) &&
    isIrreversible(facts.blockNum, status) &&
    facts.blockNum <= (status.committed?.num ?? 0)
  );
}

function textOf({ before, after }: KeptAnswer, status: ChainStatus): string {
  return after === '' ? before : `${before}${status.lastIrreversible?.num ?? 0}${after}`;
}

/** Three lines; JSON text has no line breaks. */
function formatKept(body: object, { id, blockNum, status }: FinalFacts): string {
  const { chainId = null, firstBlockNum = null } = status;
  const facts: KeptAnswer['facts'] = { id, blockNum, chainId, firstBlockNum };
  return [JSON.stringify(facts), ...cutAtMoving(body)].join('\n');
}

/** The text of an answer before and after the value of the field that moves. */
function cutAtMoving(body: object): [string, string] {
  const entries = Object.entries(body);
  const place = entries.findIndex(([name]) => name === MOVING);
  if (place < 0) return [stringifyJson(body), ''];
  const before = stringifyJson(Object.fromEntries(entries.slice(0, place)));
  const after = stringifyJson(Object.fromEntries(entries.slice(place + 1)));
  return [`${before.slice(0, -1)},"${MOVING}":`, `,${after.slice(1)}`];
}

/** Undefined for what is not whole. */
function parseKept(value: string): KeptAnswer | undefined {
  const [facts = '', before, after, ...rest] = value.split('\n');
  if (before === undefined || after === undefined || rest.length > 0) return undefined;
  const parsed = parseFacts(facts);
  return parsed && { facts: parsed, before, after };
}

function parseFacts(text: string): KeptAnswer['facts'] | undefined {
  try {
    const facts = JSON.parse(text) as Partial<KeptAnswer['facts']> | null;
    const isWhole = typeof facts?.id === 'string' && typeof facts.blockNum === 'number';
    return isWhole ? (facts as KeptAnswer['facts']) : undefined;
  } catch {
    return undefined;
  }
}
