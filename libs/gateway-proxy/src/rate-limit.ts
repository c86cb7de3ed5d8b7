import type { RequestHandler, Response } from 'express';
import type { KeyValue } from '@antelope-history/key-value';
import { HistoryError } from '@antelope-history/schemas';
import { BYTES_PER_COST, COST_HEADER, counter, type Registry, setStreamCharge } from '@antelope-history/app-runtime';
import { type Client, clientOf } from './client';
import { SharedWindow, WINDOW_MS } from './shared-window';

export interface RateLimitDeps {
  keyValue: KeyValue;
  registry: Registry;
  /** Milliseconds since 1970. */
  now(): number;
}

/** One of a client's two limits, and the part of it that is used. */
interface Quota {
  name: 'requests' | 'cost';
  /** Per window. */
  limit: number;
  used: number;
}

type Outcome = 'admitted' | 'requests' | 'cost';
/** The cost of a request whose response has no cost header. */
const MIN_COST = 1;
const COST = /^\d{1,9}$/;

/**
 * Limits each client's requests per minute and their cost per minute. The cost of a request is known only after the upstream
 * has responded, so a client is refused once its cost quota is used up: the last admitted request may exceed it.
 */
export function createRateLimit(deps: RateLimitDeps): RequestHandler {
  const count = countOutcomes(deps.registry);
  const windowOf = createWindows(deps);

  async function quotasOf({ id, requestsPerMinute, costPerMinute }: Client): Promise<Quota[]> {
    const quotas: Quota[] = [];
    if (requestsPerMinute > 0) {
      const used = await windowOf.requests.add(id, 1, requestsPerMinute);
      quotas.push({ name: 'requests', limit: requestsPerMinute, used });
    }
    if (costPerMinute > 0) quotas.push({ name: 'cost', limit: costPerMinute, used: windowOf.cost.of(id) });
    return quotas;
  }

  return (_request, response, next) => {
    const client = clientOf(response);
    // That of the counts: the next window may begin while the key-value store counts.
    const end = windowOf.requests.end();
    const admit = (quotas: Quota[]): void => {
      const exceeded = quotas.find(isExceeded);
      const secondsLeft = Math.max(0, Math.ceil((end - deps.now()) / 1000));
      showQuotas(response, quotas, { end, secondsLeft });
      count[exceeded?.name ?? 'admitted']();
      if (exceeded) {
        response.setHeader('retry-after', secondsLeft);
        throw new HistoryError('RATE_LIMITED', refusalOf(exceeded));
      }
      if (client.costPerMinute > 0) {
        const add: AddCost = (cost) => windowOf.cost.add(client.id, cost, client.costPerMinute);
        response.locals['addCost'] = async (cost: number) => (await add(cost)) >= client.costPerMinute;
        chargeOnce(response, add);
      }
      next();
    };
    if (client.requestsPerMinute > 0 || client.costPerMinute > 0) return quotasOf(client).then(admit);
    admit([]);
    return undefined;
  };
}

/**
 * Charges the cost that the upstream reported; a request without a response costs MIN_COST. Tells the cost to a trusted proxy;
 * clients do not see it.
 */
export function chargeCost(response: Response, reported: unknown): void {
  const cost = Math.max(MIN_COST, typeof reported === 'string' && COST.test(reported) ? Number(reported) : MIN_COST);
  if (clientOf(response).tellsCost && !response.headersSent) response.setHeader(COST_HEADER, cost);
  const charge = response.locals['chargeCost'] as ((cost: number) => void) | undefined;
  charge?.(cost);
}

/** Adds to the cost of a client's requests; resolves with the sum in this minute. */
type AddCost = (cost: number) => Promise<number>;

const CHARGE_EVERY_MS = 1_000;

/**
 * Charges a response without an end for what it sends and for the work on it, besides the cost of its request, and cuts its connection
 * when the client has used up its cost. The next request is refused until the minute is over.
 */
export function chargeStream(response: Response): void {
  const addCost = response.locals['addCost'] as ((cost: number) => Promise<boolean>) | undefined;
  const { socket } = response;
  if (!addCost || !socket) return;
  let charged = socket.bytesWritten;
  let work = 0;
  const charge = async (): Promise<void> => {
    const sent = Math.floor((socket.bytesWritten - charged) / BYTES_PER_COST);
    const cost = sent + work;
    if (cost === 0) return;
    charged += sent * BYTES_PER_COST;
    work = 0;
    if (await addCost(cost)) socket.destroy();
  };
  setStreamCharge(response, (cost) => {
    work += cost;
    // Work that has begun goes on for a moment after its client has left.
    if (response.closed) void charge();
  });
  const timer = setInterval(() => void charge(), CHARGE_EVERY_MS).unref();
  response.once('close', () => {
    clearInterval(timer);
    void charge();
  });
}

/** A request whose client has left is charged the rest when its work has ended. */
function chargeOnce(response: Response, add: AddCost): void {
  let charged = 0;
  response.locals['chargeCost'] = (cost: number): void => {
    if (cost > charged) void add(cost - charged);
    charged = Math.max(charged, cost);
  };
  response.once('close', () => chargeCost(response, undefined));
}

function isExceeded({ name, limit, used }: Quota): boolean {
  return name === 'requests' ? used > limit : used >= limit;
}

function refusalOf({ name, limit }: Quota): string {
  const what = name === 'requests' ? 'requests' : 'units of cost: ask for fewer or smaller responses';
  return `send at most ${limit} ${what} per minute`;
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10, and the older `X-RateLimit-*` headers for requests. */
function showQuotas(
  response: Response,
  quotas: Quota[],
  { end, secondsLeft }: { end: number; secondsLeft: number },
): void {
  const remaining = ({ limit, used }: Quota): number => Math.max(0, limit - used);
  if (quotas.length === 0) return;
  response.setHeader(
    'ratelimit-policy',
    quotas.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_MS / 1000}`).join(', '),
  );
  response.setHeader(
    'ratelimit',
    quotas.map((quota) => `"${quota.name}";r=${remaining(quota)};t=${secondsLeft}`).join(', '),
  );
  const requests = quotas.find(({ name }) => name === 'requests');
  if (!requests) return;
  response.setHeader('x-ratelimit-limit', requests.limit);
  response.setHeader('x-ratelimit-remaining', remaining(requests));
  response.setHeader('x-ratelimit-reset', end / 1000);
}

function createWindows({ keyValue, registry, now }: RateLimitDeps) {
  const alone = counter(registry, {
    name: 'history_requests_counted_alone_total',
    help: 'Requests that this gateway counted alone because the key-value store was unavailable',
  });
  const deps = { keyValue, now, onCountedAlone: () => alone.inc() };
  return { requests: new SharedWindow({ ...deps, name: 'rate' }), cost: new SharedWindow({ ...deps, name: 'cost' }) };
}

function countOutcomes(registry: Registry): Record<Outcome, () => void> {
  const limited = counter(registry, {
    name: 'history_gateway_rate_limits_total',
    help: 'Requests by outcome of the rate limits: admitted, or refused by the limit of requests or of cost',
    labelNames: ['outcome'],
  });
  const countOf = (outcome: Outcome): (() => void) => {
    const series = limited.labels({ outcome });
    series.inc(0);
    return () => series.inc();
  };
  return { admitted: countOf('admitted'), requests: countOf('requests'), cost: countOf('cost') };
}
