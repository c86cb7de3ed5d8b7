import type { RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import { answerInTime, counter, type Registry } from '@antelope-history/service';
import { WindowCounts } from './window-counts';

const WINDOW_MS = 60_000;
/** One client usually holds a whole /64 of IPv6 addresses. */
const IPV6_SUBNET_BITS = 64;
/** No request waits longer to be counted. */
const COUNT_LIMIT_MS = 250;

export interface RateLimitDeps {
  keyValue: KeyValue;
  registry: Registry;
  /** Per client address; 0 = any number. */
  requestsPerMinute: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Lets each client address send so many requests per minute, counted over all gateways. While the key-value store is
 * away each gateway counts what itself lets through: the limit is looser then, and the service goes on.
 */
export function createRateLimit(deps: RateLimitDeps): RequestHandler {
  const { requestsPerMinute } = deps;
  if (requestsPerMinute === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: requestsPerMinute,
    ipv6Subnet: IPV6_SUBNET_BITS,
    legacyHeaders: true,
    standardHeaders: 'draft-6',
    store: createWindowStore(deps),
    // Its checks print to the console.
    validate: false,
    handler: (_request, _response, next) => {
      next(new HistoryError('RATE_LIMITED', `send at most ${requestsPerMinute} requests per minute`));
    },
  });
}

/** Counts in windows that begin with the minute, so that all gateways agree when a window ends. */
function createWindowStore({ keyValue, registry, requestsPerMinute, now }: RateLimitDeps): Store {
  const counts = new WindowCounts();
  const uncounted = counter(registry, {
    name: 'history_requests_counted_alone_total',
    help: 'Requests that this gateway counted alone, because the key-value store did not',
  });

  async function countEverywhere(client: string, windowStart: number): Promise<number> {
    const counted = await answerInTime(
      keyValue.count(`rate:${client}:${windowStart}`, WINDOW_MS),
      COUNT_LIMIT_MS,
      undefined,
    );
    if (counted === undefined) uncounted.inc();
    return counted ?? 0;
  }

  return {
    async increment(client) {
      const windowStart = now() - (now() % WINDOW_MS);
      const here = counts.count(client, windowStart);
      // Who sent too much here did so everywhere: a flood does not reach the key-value store.
      const totalHits = here > requestsPerMinute ? here : Math.max(here, await countEverywhere(client, windowStart));
      return { totalHits, resetTime: new Date(windowStart + WINDOW_MS) };
    },
    // Part of the library's interface, for options that are not used here.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}
