import fc from 'fast-check';
import { createOpenApiDocument } from '@antelope-history/openapi';
import { ROUTES } from '@antelope-history/routes';
import { createResponseCheck, type ResponseCheck } from '@antelope-history/test-support/openapi-check';
import type { ChainFacts } from '../chain-facts';
import { generateRequests, type GeneratedRequest } from './generated-requests';
import { HttpClient, type TimedResponse } from './http-client';

export interface FuzzOptions {
  url: string;
  facts: ChainFacts;
  requests: number;
  seed: number;
  /** Longest time that a response may take, in milliseconds. */
  limitMs: number;
  /** Called after each batch, with the number of requests sent. */
  onProgress?: (sent: number) => void;
}

export interface Failure {
  request: GeneratedRequest;
  reason: string;
}

export interface FuzzFigures {
  requests: number;
  /** Number of responses by path and status: `/v1/chain/get_block 200`. */
  responses: Record<string, number>;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  /** At most `MAX_FAILURES`. */
  failures: Failure[];
}

/** More would only wait: the service and the fuzzer share two cores. */
const CONNECTIONS = 8;
const BATCH = 500;
const MAX_FAILURES = 20;
/** A large response repeats one shape: only some are checked against the schema, all are parsed as JSON. */
const LARGE_BODY = 64 * 1024;
const LARGE_CHECKED_EVERY = 20;

/** Sends generated requests and judges each response. The same seed sends the same requests. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzFigures> {
  const { url, facts, requests, seed, limitMs, onProgress } = options;
  const arbitrary = generateRequests(facts);
  const client = new HttpClient(url, CONNECTIONS);
  const judge = createJudge(limitMs);
  const times: number[] = [];
  const responses: Record<string, number> = {};
  const failures: Failure[] = [];

  const sendOne = async (request: GeneratedRequest): Promise<void> => {
    const outcome = await client.post(request).catch((error: unknown) => String(error));
    const reason = typeof outcome === 'string' ? outcome : judge(request, outcome);
    if (typeof outcome !== 'string') {
      times.push(outcome.ms);
      const key = `${request.path} ${outcome.status}`;
      responses[key] = (responses[key] ?? 0) + 1;
    }
    if (reason !== undefined && failures.length < MAX_FAILURES) failures.push({ request, reason });
  };

  for (let sent = 0; sent < requests && failures.length < MAX_FAILURES; sent += BATCH) {
    const batch = fc.sample(arbitrary, { seed: seed + sent, numRuns: Math.min(BATCH, requests - sent) });
    await forEachAtOnce(batch, CONNECTIONS, sendOne);
    onProgress?.(Math.min(sent + BATCH, requests));
  }
  client.close();
  times.sort((left, right) => left - right);
  const percentile = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    requests: times.length,
    responses,
    p50: percentile(0.5),
    p99: percentile(0.99),
    max: percentile(1),
    failures,
  };
}

type Judge = (request: GeneratedRequest, response: TimedResponse) => string | undefined;

/** Judges responses: the reason of a failure, or undefined. */
export function createJudge(limitMs: number): Judge {
  const check: ResponseCheck = createResponseCheck(createOpenApiDocument({ version: '', routes: ROUTES }));
  let large = 0;
  return ({ path }, { status, contentType, body, ms }) => {
    if (status >= 500) return `status ${status}`;
    if (ms > limitMs) return `${Math.round(ms)} ms`;
    if (body.length > LARGE_BODY && large++ % LARGE_CHECKED_EVERY !== 0) return readsAsJson(body);
    const [violation] = check({ method: 'POST', path, status, contentType, body });
    return violation;
  };
}

function readsAsJson(body: string): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch {
    return 'the body is not JSON';
  }
}

async function forEachAtOnce<T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
