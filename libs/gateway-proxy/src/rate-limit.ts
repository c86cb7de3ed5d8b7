import type { RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';

const WINDOW_MS = 60_000;
/** One client usually holds a whole /64 of IPv6 addresses. */
const IPV6_SUBNET_BITS = 64;

/** Lets each client address send so many requests per minute, counted over all gateways; 0 = any number. */
export function createRateLimit(keyValue: KeyValue, requestsPerMinute: number, now: () => number): RequestHandler {
  if (requestsPerMinute === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: requestsPerMinute,
    ipv6Subnet: IPV6_SUBNET_BITS,
    legacyHeaders: true,
    standardHeaders: 'draft-6',
    store: createWindowStore(keyValue, now),
    // Its checks print to the console.
    validate: false,
    handler: (_request, _response, next) => {
      next(new HistoryError('RATE_LIMITED', `send at most ${requestsPerMinute} requests per minute`));
    },
  });
}

/** Counts in windows that begin with the minute, so that all gateways agree when a window ends. */
function createWindowStore(keyValue: KeyValue, now: () => number): Store {
  return {
    async increment(client) {
      const windowStart = now() - (now() % WINDOW_MS);
      try {
        const totalHits = await keyValue.count(`rate:${client}:${windowStart}`, WINDOW_MS);
        return { totalHits, resetTime: new Date(windowStart + WINDOW_MS) };
      } catch (cause) {
        throw new HistoryError('UNAVAILABLE', 'requests can not be counted', { cause });
      }
    },
    // Part of the library's interface, for options that are not used here.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}
