import { setMaxListeners } from 'node:events';
import { abortableSleep, Backoff } from '@antelope-history/connections';
import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '@antelope-history/connections';
import { HistoryError } from '@antelope-history/schemas';
import { httpStatusOf, isBusy, toAnswerError, toStoreError } from '../client/store-errors';
import type { BulkRequest } from './bulk-request';
import { Semaphore } from './semaphore';

/** A request is not sent again so long after the first time: who asked for it looks again what is left to be written. */
export const SEND_LIMIT_MS = 60_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;

const TOO_LARGE = 413;
const CONFLICT = 409;
const NOT_FOUND = 404;

interface BulkAnswer {
  errors: boolean;
  items: Record<string, { status: number; error?: { type?: string } }>[];
}

/** What is left of a request after an attempt, and why. */
interface Rest {
  request: BulkRequest;
  reason: HistoryError;
}

/** Sends bulk requests, a few at once, until every operation of them is durable. */
export class BulkWriter {
  private readonly semaphore: Semaphore;
  private readonly stopping = new AbortController();

  constructor(
    private readonly client: Client,
    concurrency: number,
  ) {
    this.semaphore = new Semaphore(concurrency);
    setMaxListeners(0, this.stopping.signal);
  }

  /**
   * Takes the requests as fast as they can be sent; resolves when all are durable. Rejects with `BLOCK_REFUSED` when the
   * server will never take a document, with `STORE_UNAVAILABLE` when it did not take all of them in time; any may have been
   * written then.
   */
  async write(requests: Iterable<BulkRequest> | AsyncIterable<BulkRequest>): Promise<void> {
    const sending: Promise<void>[] = [];
    const failures: unknown[] = [];
    for await (const request of requests) {
      const release = await this.semaphore.acquire();
      if (failures.length > 0) {
        release();
        break;
      }
      const sent = this.send(request).catch((error: unknown) => void failures.push(error));
      sending.push(sent.finally(release));
    }
    await Promise.all(sending);
    if (failures.length > 0) throw failures[0];
  }

  /** Gives up what is under way. It may have been written, or may not: it is delivered again. */
  stop(): void {
    this.stopping.abort();
  }

  private async send(request: BulkRequest): Promise<void> {
    const deadline = performance.now() + SEND_LIMIT_MS;
    let rest = await this.attempt(request);
    const backoff = new Backoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
    while (rest) {
      const waitMs = backoff.next();
      if (performance.now() + waitMs > deadline) throw rest.reason;
      await this.wait(waitMs);
      rest = await this.attempt(rest.request);
    }
  }

  /** Sends a request once; gives what of it is to be sent again. */
  private async attempt(request: BulkRequest): Promise<Rest | undefined> {
    try {
      return restOf(request, await this.ask(request));
    } catch (error) {
      if (httpStatusOf(error) === TOO_LARGE) {
        for (const half of halvesOf(request)) await this.send(half);
        return undefined;
      }
      const reason = toStoreError(error);
      if (reason.code !== 'STORE_UNAVAILABLE') throw reason;
      return { request, reason };
    }
  }

  private async wait(waitMs: number): Promise<void> {
    await abortableSleep(waitMs, this.stopping.signal);
    if (this.stopping.signal.aborted) throw new HistoryError('STOPPED', 'the store is closed');
  }

  private ask(request: BulkRequest): Promise<BulkAnswer> {
    return this.client.transport.request<BulkAnswer>(
      {
        method: 'POST',
        path: '/_bulk',
        querystring: { filter_path: 'errors,items.*.status,items.*.error.type', refresh: request.visibleAtOnce },
        bulkBody: request.body,
      },
      // Repeated here, and not by the client, which would repeat what was done.
      { maxRetries: 0, signal: this.stopping.signal },
    );
  }
}

/** The operations that have to be sent again; results are in the order of the operations. */
function restOf(request: BulkRequest, { errors, items }: BulkAnswer): Rest | undefined {
  if (items.length !== request.count) {
    return { request, reason: new HistoryError('STORE_UNAVAILABLE', 'Elasticsearch answered in part') };
  }
  if (!errors) return undefined;
  let reason: HistoryError | undefined;
  const again: number[] = [];
  for (const [place, item] of items.entries()) {
    const { status = 0, error } = Object.values(item)[0] ?? {};
    // What is there already, in this version or a later one, or gone already, is as good as done.
    if (status < 300 || status === CONFLICT || (status === NOT_FOUND && !error)) continue;
    reason = itemError(request, place, status, error?.type);
    if (!reason.retryable) throw reason;
    again.push(place);
  }
  return reason && { request: request.pick(again), reason };
}

function itemError(request: BulkRequest, place: number, status: number, type: string | undefined): HistoryError {
  // An index that was deleted under us is made again with the next write.
  if (type === 'index_not_found_exception') return new HistoryError('STORE_UNAVAILABLE', 'an index is missing');
  if (isBusy(status, type) || status === 401 || status === 403) return toAnswerError(status, type);
  return refusal(request, place, type ?? `status ${status}`);
}

function halvesOf(request: BulkRequest): BulkRequest[] {
  if (request.count < 2) throw refusal(request, 0, 'larger than the server takes (http.max_content_length)');
  return request.split();
}

function refusal(request: BulkRequest, place: number, why: string): HistoryError {
  const block = request.blocks[place];
  const index = request.indexOf(place);
  if (!block) return new HistoryError('STORE_REFUSED', `${index} refuses a document: ${why}`);
  return new HistoryError('BLOCK_REFUSED', `${index} refuses a document of block ${block.num} ${block.id}: ${why}`);
}
